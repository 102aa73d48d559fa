/** Reads records: for log fetch as a stream of the very bytes to send, for questions as small answers. */
import { Readable } from 'node:stream'
import type { ClickHouseClient, ExecParams } from '@clickhouse/client'
import type { Nanos, Scope, ScopeKind } from '../base/index.ts'
import { type Dataset, type DatasetRegistry, findField, type Selection } from '../datasets/index.ts'
import { asking, askRows, queryLimitSeconds } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { renderingOf } from './render.ts'
import { countQuery, type Query, type SelectLimits, select, type Window } from './select.ts'
import { column, tableOf } from './tables.ts'
import { lookThrough, type Packing } from './whole.ts'

export type ScanNeeds = { readonly store: RecordStore }

export type ScanOptions = SelectLimits & {
  readonly encoding?: Packing
  readonly level?: number
  readonly signal?: AbortSignal
}

// Within 20 % of the size of level 6 at twice its speed, by the table of bench/fetch.bench.ts. All 120 fields, CPU-seconds per
// raw GB and share of the raw size: 1 5.8, 19 %; 2 8.0, 14 %; 3 7.6, 12 %; 4 7.2, 10 %; 6 9.6, 9 %. Writing without packing: 4.7.
export const gzipLevel = 4

/**
 * The bytes of a selection as log fetch sends them and objects hold them, in total order. Rejects before the first byte
 * or fails as a stream; a failed stream never ends like a whole one. Destroying it cancels the query.
 */
export async function scan(
  needs: ScanNeeds,
  scope: Scope,
  dataset: Dataset,
  window: Window,
  selection: Selection,
  options: ScanOptions = {},
): Promise<Readable> {
  const { client, mayBeCut } = needs.store
  const read = readBytes(client, select(dataset, scope, window, selection, options), options)
  const rendering = renderingOf(dataset, selection)
  // Records without line ends are only ever shown to somebody as an example.
  if (!mayBeCut || !rendering.lineEnds) return read
  const counted = countRecords(needs, scope, dataset, window, selection)
  counted.catch(() => {})
  const { through } = lookThrough(rendering, options.encoding ?? 'identity', async () => ({
    rows: Math.min(await counted, options.count ?? Number.POSITIVE_INFINITY),
  }))
  return Readable.from(through(await read), { objectMode: false })
}

/** What the store is asked for the bytes of a query. */
export function asBytes(query: Query, { encoding = 'identity', level = gzipLevel, signal }: ScanOptions): ExecParams {
  return {
    query: query.sql,
    query_params: { ...query.params },
    ...(signal ? { abort_signal: signal } : {}),
    // Packed by the store itself: twice as fast as packing in this process, and less to carry.
    ...(encoding === 'identity' ? {} : { http_headers: { 'Accept-Encoding': encoding } }),
    clickhouse_settings: {
      enable_http_compression: encoding === 'identity' ? 0 : 1,
      http_zlib_compression_level: String(level),
      max_execution_time: queryLimitSeconds,
    },
  }
}

export function readBytes(client: ClickHouseClient, query: Query, options: ScanOptions = {}): Promise<Readable> {
  const { signal } = options
  return asking(async () => {
    signal?.throwIfAborted()
    const { stream } = await client.exec({ ...asBytes(query, options), decompress_response_stream: false })
    // The client forgets the signal once the answer has begun.
    signal?.addEventListener('abort', () => stream.destroy(signal.reason as Error), { once: true })
    return stream
  })
}

export async function countRecords(
  { store }: ScanNeeds,
  scope: Scope,
  dataset: Dataset,
  window: Window,
  selection: Selection,
): Promise<number> {
  const [row] = await rows<{ rows: number }>(store, countQuery(dataset, scope, window, selection))
  return row?.rows ?? 0
}

/** How many records of a selection each of the windows holds, in the order of the windows: one query for all. */
export async function countPerWindow(
  { store }: ScanNeeds,
  scope: Scope,
  dataset: Dataset,
  windows: readonly Window[],
  selection: Selection,
): Promise<readonly number[]> {
  const [first] = windows
  if (!first) return []
  const whole = windows.reduce<Window>(
    (all, { from, to }) => ({ from: from < all.from ? from : all.from, to: to > all.to ? to : all.to }),
    first,
  )
  const { sql, params } = countQuery(dataset, scope, whole, selection)
  const counted = await rows<{ counts: number[] }>(store, {
    sql: sql.replace(
      'count() AS rows',
      'sumForEach(arrayMap((lo, hi) -> toUInt64(_at >= lo AND _at < hi), {lows:Array(UInt64)}, {highs:Array(UInt64)})) AS counts',
    ),
    params: {
      ...params,
      lows: windows.map(({ from }) => from),
      highs: windows.map(({ to }) => to),
    },
  })
  const counts = counted[0]?.counts ?? []
  return windows.map((_, index) => counts[index] ?? 0)
}

export type Activity = {
  readonly kind: ScopeKind
  readonly id: string
  readonly dataset: string
  readonly rows: number
  /** When the first and the last of them were received. */
  readonly first: Nanos
  readonly last: Nanos
}

/**
 * Which scopes had records of which datasets in a window, whatever the number of jobs. Most datasets of most services have
 * no records at all: to ask all 37 tables takes 56 ms of CPU, every second; to ask first which of them hold any, 12.
 */
export async function activity(
  { store, datasets }: ScanNeeds & { readonly datasets: DatasetRegistry },
  window: Window,
): Promise<readonly Activity[]> {
  const holding = store.listsAllParts ? await holdingRecords(store, datasets) : datasets.all
  if (holding.length === 0) return []
  const each = holding.map(
    (dataset) =>
      `SELECT '${dataset.name}' AS dataset, _scope AS scope, count() AS rows, toString(min(_at)) AS first, toString(max(_at)) AS last FROM ${tableOf(dataset)} WHERE _at >= {from:UInt64} AND _at < {to:UInt64} GROUP BY _scope`,
  )
  const found = await rows<{ dataset: string; scope: string; rows: number; first: string; last: string }>(store, {
    sql: each.join('\nUNION ALL\n'),
    params: { from: window.from.toString(), to: window.to.toString() },
  })
  return found.map(({ dataset, scope, rows: count, first, last }) => ({
    ...fromPath(scope),
    dataset,
    rows: count,
    first: BigInt(first),
    last: BigInt(last),
  }))
}

async function holdingRecords(store: RecordStore, datasets: DatasetRegistry): Promise<readonly Dataset[]> {
  const found = await rows<{ name: string }>(store, {
    sql: 'SELECT DISTINCT table AS name FROM system.parts WHERE active AND database = currentDatabase()',
    params: {},
  })
  const names = new Set(found.map(({ name }) => column(name)))
  return datasets.all.filter((dataset) => names.has(tableOf(dataset)))
}

const fromPath = (path: string): { readonly kind: ScopeKind; readonly id: string } => {
  const [plural = '', id = ''] = path.split('/')
  return { kind: plural === 'zones' ? 'zone' : 'account', id }
}

/** Records of one request, by its ray id; several may share it. Undefined when the dataset has none. */
export async function scanRay(
  needs: ScanNeeds,
  scope: Scope,
  dataset: Dataset,
  rayId: string,
  window: Window,
  selection: Selection,
  options: ScanOptions = {},
): Promise<Readable | undefined> {
  const key = findField(dataset, 'RayID')
  if (!key) return undefined
  const isRay = { key, operator: 'eq', value: rayId } as const
  const filter = selection.filter ? { and: [selection.filter, isRay] } : isRay
  return scan(needs, scope, dataset, window, { ...selection, filter }, options)
}

/** The newest stamp in the store: no later one may be behind it. Answered from the parts' own bounds. */
export async function newestStamp({
  store,
  datasets,
}: ScanNeeds & { readonly datasets: DatasetRegistry }): Promise<Nanos> {
  const each = datasets.all.map((dataset) => `SELECT max(_at) AS at FROM ${tableOf(dataset)}`)
  const [row] = await rows<{ at: string }>(store, {
    sql: `SELECT toString(max(at)) AS at FROM (\n${each.join('\nUNION ALL\n')}\n)`,
    params: {},
  })
  return BigInt(row?.at ?? 0)
}

/** A small answer, as objects. */
export const rows = <T>({ client }: RecordStore, { sql, params }: Query): Promise<T[]> =>
  asking(() => askRows<T>(client, sql, params))
