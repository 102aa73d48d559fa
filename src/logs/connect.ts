/**
 * The record store: the embedded engine behind its socket, or a ClickHouse server by URL. Both speak the same protocol;
 * nothing past this file knows which it is.
 */
import { randomUUID } from 'node:crypto'
import { copyFile, rename, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  type ExecParams,
} from '@clickhouse/client'
import { answerHeader, type Engine, rowsHeader } from '../engine/index.ts'
import { asking, askRows, patiently, queryLimitSeconds, soonOver, unavailable, unknownEnd } from './asking.ts'

export type RecordStore = {
  readonly client: ClickHouseClient
  /** Whether half an answer may end like a whole one: not on the socket of the embedded engine, which nobody else holds. */
  readonly mayBeCut: boolean
  /** Whether its list of parts tells of every record: a replica of a cluster lists only what has reached it. */
  readonly listsAllParts: boolean
  /** Changes of the schema, in their order; together where the store takes several at once. */
  change(statements: readonly string[]): Promise<void>
  /** Resolves when the store has taken the rows, all of them or with an error none. */
  insert(insert: RowsInsert): Promise<void>
  /**
   * Has the answer written into a file, which only the embedded engine can: nothing of it goes through a socket. Gives
   * the number of its rows.
   */
  answerInto?(asked: ExecParams, file: string): Promise<number>
  /** Which life of the store this is; asked before a query, and told to `ended`. */
  life(): number | undefined
  /** Resolves once the query of that id can change nothing any more, whatever became of its connection. */
  ended(queryId: string, life: number | undefined): Promise<void>
  close(): Promise<void>
}

export type RowsInsert = Pick<ExecParams, 'query_params' | 'query_id' | 'clickhouse_settings'> & {
  /** Ends in `FORMAT …`, and so says what the rows are written in. */
  readonly query: string
  /** The same whenever it is called, in pieces of which each may be written over by the next. */
  readonly rows: () => Iterable<Buffer>
  /** The store drops rows that come a second time with the same token. */
  readonly token?: string | undefined
}

/** From 26.5 on ClickHouse takes `rayid` for `RayID` unless it is told not to. */
const asWritten = { input_format_column_name_matching_mode: 'match_case' } as const

const common = {
  application: 'spillway',
  log: { level: ClickHouseLogLevel.OFF },
  request_timeout: (queryLimitSeconds + 10) * 1000,
  max_open_connections: 32,
  compression: { request: false, response: false },
} as const

/** The embedded engine: a query that lost its asker ends with the child, or was killed by it. */
export function connectToEngine(engine: Engine): RecordStore {
  if ('url' in engine.address) return connectByUrl(engine.address.url)
  const agent = new Agent({
    socketPath: engine.address.socketPath,
    keepAlive: true,
    maxSockets: common.max_open_connections,
  } as ConstructorParameters<typeof Agent>[0])
  const client = createClient({ ...common, url: 'http://localhost', http_agent: agent })
  return {
    client,
    mayBeCut: false,
    // One request for the 38 tables of a first start: 0.13 CPU-seconds and as much waiting less.
    async change(statements) {
      if (statements.length > 0) await client.command({ query: statements.join(';\n') })
    },
    listsAllParts: true,
    // The engine reads rows from a file. Written here and handed over by name, 32 MB need no way through its socket.
    async insert({ rows, token, clickhouse_settings, ...rest }) {
      // Without a token the rows would be told apart by a hash of all of them: 25 of 210 ms of an insert of 32 MB.
      const repeats: ClickHouseSettings =
        token === undefined ? { insert_deduplicate: 0 } : { insert_deduplication_token: token }
      const settings = { ...clickhouse_settings, ...asWritten, ...repeats }
      const name = `${randomUUID()}.rows`
      const file = join(engine.spool, name)
      try {
        await writeFile(file, rows(), { mode: 0o600, flag: 'wx' }).catch((error) => {
          throw unavailable(error)
        })
        const http_headers = { [rowsHeader]: name }
        await drain(await client.exec({ ...rest, clickhouse_settings: settings, http_headers }))
      } finally {
        await rm(file, { force: true })
      }
    },
    async answerInto(asked, file) {
      const name = `${randomUUID()}.answer`
      const made = join(engine.spool, name)
      const http_headers = { ...asked.http_headers, [answerHeader]: name }
      try {
        const answer = await client.exec({ ...asked, http_headers })
        await drain(answer)
        const rows = Number(answer.summary?.result_rows)
        if (!Number.isInteger(rows)) throw new Error('the engine does not say how many records it has written')
        await moveFile(made, file)
        return rows
      } finally {
        await rm(made, { force: true })
      }
    },
    life: engine.pid,
    async ended(_queryId, life) {
      if (engine.isReady() && engine.pid() === life) await engine.restart('an insert has an unknown end')
      await engine.ready()
    },
    close: () => client.close(),
  }
}

/** A stream takes pieces before it is done with those of before. */
function* copies(pieces: Iterable<Buffer>): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece)
}

/** The spool may be a disk of its own. */
async function moveFile(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    return copyFile(from, to)
  })
}

export type ServerOptions = {
  /** PEM of the authority that vouches for the server, when it is none that everybody knows. */
  readonly authority?: string | undefined
  /** Its tables are replicated, on the cluster of this name. */
  readonly cluster?: string | undefined
}

/**
 * On a cluster an insert is there when most replicas have it, and a query is answered only by a replica that has all
 * such inserts: otherwise a window could be exported from one that lags behind. Inserts that run at the same time would
 * not be seen in order, so each waits for the one before it, with the patience that `patiently` has.
 */
export const clusterSettings = {
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  insert_quorum_timeout: 30_000,
  select_sequential_consistency: '1',
} as const

/** `http(s)://user:password@host:8123/database`. */
export function connectByUrl(address: string, { authority, cluster }: ServerOptions = {}): RecordStore {
  const client = createClient({
    ...common,
    url: address,
    ...(authority === undefined ? {} : { tls: { ca_cert: Buffer.from(authority) } }),
    ...(cluster === undefined ? {} : { clickhouse_settings: clusterSettings }),
  })
  /** Inserts of a cluster of which nobody knows whether they are there, by their query's id. */
  const unclear = new Map<string, () => Promise<void>>()
  const onCluster = cluster === undefined ? '' : ` ON CLUSTER \`${cluster}\``
  let matching: Promise<Partial<typeof asWritten>> | undefined
  const kill = `KILL QUERY${onCluster} WHERE query_id = {id:String} SYNC`
  return {
    client,
    mayBeCut: true,
    async change(statements) {
      for (const query of statements) await client.command({ query })
    },
    listsAllParts: cluster === undefined,
    async insert({ rows, token, query_id: queryId = randomUUID(), clickhouse_settings, ...rest }) {
      matching ??= matchingOf(client).catch((error) => {
        matching = undefined
        throw error
      })
      // The token makes a repeat harmless: the store drops it when the first one is there.
      const repeats = { insert_deduplication_token: token ?? queryId }
      const settings = { ...clickhouse_settings, ...(await matching), ...repeats }
      const once = async () => {
        const values = Readable.from(copies(rows()), { objectMode: false })
        await drain(await client.exec({ ...rest, query_id: queryId, clickhouse_settings: settings, values }))
      }
      try {
        await patiently(once)
      } catch (error) {
        if (error instanceof ClickHouseError && error.code !== unknownEnd) throw error
        if (cluster !== undefined) unclear.set(queryId, once)
        throw error instanceof ClickHouseError ? new Error('an insert was aborted', { cause: error }) : error
      }
    },
    life: () => undefined,
    async ended(queryId) {
      while (!(await client.command({ query: kill, query_params: { id: queryId } }).catch(() => undefined)))
        await sleep(500)
      // Replicas may still bring it to an end by themselves, unless the same insert is seen to its end.
      await untilClear(unclear.get(queryId))
      unclear.delete(queryId)
    },
    close: () => client.close(),
  }
}

/** A server of before the setting has nothing to be told, and would refuse it. */
async function matchingOf(client: ClickHouseClient): Promise<Partial<typeof asWritten>> {
  const [name] = Object.keys(asWritten)
  const known = 'SELECT name FROM system.settings WHERE name = {name:String}'
  return (await asking(() => askRows(client, known, { name }))).length > 0 ? asWritten : {}
}

/** An error that the store finds late comes at the end of its answer. */
async function drain({ stream }: { readonly stream: AsyncIterable<unknown> }): Promise<void> {
  for await (const _ of stream);
}

/** Says the same insert again until the store takes it, finds it there, or refuses it for good. */
async function untilClear(insert: (() => Promise<void>) | undefined): Promise<void> {
  for (;;) {
    try {
      return await insert?.()
    } catch (error) {
      if (error instanceof ClickHouseError && error.code !== unknownEnd && !soonOver.has(error.code)) return
    }
    await sleep(1000)
  }
}
