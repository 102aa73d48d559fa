/**
 * One table per dataset, made and altered from the catalogue: a column per field, and three of our own. Added fields
 * appear as columns; a column is never dropped or changed, because records of before still hold it.
 *
 *   _scope  `zones/<id>` or `accounts/<id>`
 *   _at     when the batch was received, nanoseconds; one stamp per batch
 *   _seq    the row's number in its batch, so that (_at, _seq) is a total order
 */
import type { Dataset, Field } from '../datasets/index.ts'
import { asking, askRows } from './asking.ts'
import type { RecordStore } from './connect.ts'

export const tableOf = (dataset: Pick<Dataset, 'name'>): string => `\`records_${dataset.name}\``

/** What became of each Idempotency-Key: see decision 0010. */
export const keysTable = '`ingest_keys`'

export const column = (name: string): string => `\`${name}\``

/**
 * An object is kept as the JSON text it came as. ClickHouse's own JSON type does not keep nulls, the order of keys,
 * the difference between `{"a.b":1}` and `{"a":{"b":1}}`, and the text of numbers.
 */
export function columnType(field: Field): string {
  switch (field.type) {
    case 'string':
    case 'object':
      return 'String'
    case 'int':
      return 'Int64'
    case 'float':
      return 'Float64'
    case 'bool':
      return 'Bool'
    case 'array':
      return field.items === 'int' ? 'Array(Int64)' : 'Array(String)'
  }
}

/**
 * A replicated cluster is named here; a single server and the embedded engine need nothing. It has one shard: every
 * replica holds every record. Where the replicas keep their state is the server's own `default_replica_path`.
 */
export type TableOptions = {
  readonly cluster?: string | undefined
  /** Which of the newer settings the store knows. */
  readonly knows?: readonly string[]
}

// Older stores do not know these: ClickHouse before 24.11 has no `merge_selector_base`.
const newerSettings: Readonly<Record<string, string>> = { merge_selector_base: '20', auto_statistics_types: "''" }

// Received day, so that retention drops whole partitions and never rewrites a part.
const dayOf = "toYYYYMMDD(toDateTime(intDiv(_at, 1000000000), 'UTC'))"

// Durable at commit. Fresh parts are compact: with 120 columns a wide part is 240 files to fsync, and an insert of 32 MB
// took 0.31 CPU-seconds instead of 0.28. The window serves inserts in flight only; the keys table remembers for longer.
// Twenty parts are merged at a time instead of five, so a record is rewritten twice and not four times on its way into a
// large part: an insert of 5 MB cost 141 ms with its merges instead of 164. With fifty it was no less. What has grown to a
// gigabyte is left alone: it holds gigabytes of records that are read once or twice more, merging them again would cost
// another tenth of their ingest, and while 0.5 GB were merged, for 30 s, an acknowledgement took up to 5 s on a full
// machine. Each part of a day costs a query 0.02 ms. No query of ours is planned by statistics, and keeping them of every
// column was a tenth of a merge.
const settings = ({ cluster, knows = [] }: TableOptions) =>
  [
    'fsync_after_insert = 1',
    'fsync_part_directory = 1',
    'min_bytes_for_wide_part = 1073741824',
    ...knows.map((name) => `${name} = ${newerSettings[name]}`),
    'max_bytes_to_merge_at_max_space_in_pool = 1073741824',
    cluster ? 'replicated_deduplication_window = 1000' : 'non_replicated_deduplication_window = 1000',
  ].join(', ')

const engineOf = ({ cluster }: TableOptions) => (cluster ? 'ReplicatedMergeTree' : 'MergeTree')
const onCluster = ({ cluster }: TableOptions) => (cluster ? ` ON CLUSTER ${column(cluster)}` : '')

// The index on receipt serves the exporter's tick, which asks for the last second of all scopes at once.
export function createTable(dataset: Dataset, options: TableOptions = {}): string {
  const columns = dataset.fields.map((field) => `  ${column(field.name)} ${columnType(field)}`)
  return `CREATE TABLE IF NOT EXISTS ${tableOf(dataset)}${onCluster(options)} (
  _scope LowCardinality(String),
  _at UInt64,
  _seq UInt32,
${columns.join(',\n')},
  INDEX _at_range _at TYPE minmax
)
ENGINE = ${engineOf(options)}
PARTITION BY ${dayOf}
ORDER BY (_scope, _at, _seq)
SETTINGS ${settings(options)}`
}

export const createKeys = (options: TableOptions = {}): string =>
  `CREATE TABLE IF NOT EXISTS ${keysTable}${onCluster(options)} (
  _scope String,
  dataset String,
  key String,
  part UInt32,
  body String,
  _at UInt64
)
ENGINE = ${engineOf(options)}
PARTITION BY ${dayOf}
ORDER BY (_scope, dataset, key, part, _at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

/** Brings the store in line with the catalogue; safe to run at every start, and by several processes at once. */
export async function makeTables(
  store: Pick<RecordStore, 'client' | 'change'>,
  datasets: readonly Dataset[],
  options: TableOptions = {},
): Promise<void> {
  await asking(async () => {
    const tables = await askRows<{ table: string; names: string[] }>(
      store.client,
      'SELECT table, groupArray(name) AS names FROM system.columns WHERE database = currentDatabase() GROUP BY table',
    )
    const known = new Map(tables.map(({ table, names }) => [`\`${table}\``, new Set(names)]))
    const newer = await askRows<{ name: string }>(
      store.client,
      'SELECT name FROM system.merge_tree_settings WHERE name IN {names:Array(String)}',
      { names: Object.keys(newerSettings) },
    )
    const knows = newer.map(({ name }) => name)
    const changes = datasets.flatMap((dataset) => {
      const names = known.get(tableOf(dataset))
      const missing = dataset.fields.filter((field) => !names?.has(field.name))
      if (!names) return createTable(dataset, { ...options, knows })
      return missing.length > 0 ? addColumns(dataset, missing, options) : []
    })
    await store.change(known.has(keysTable) ? changes : [createKeys(options), ...changes])
  })
}

export const addColumns = (dataset: Dataset, fields: readonly Field[], options: TableOptions): string =>
  `ALTER TABLE ${tableOf(dataset)}${onCluster(options)} ${fields
    .map((field) => `ADD COLUMN IF NOT EXISTS ${column(field.name)} ${columnType(field)}`)
    .join(', ')}`
