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
  createClient,
  type ExecParams,
} from '@clickhouse/client'
import { Problem, problems } from '../base/index.ts'
import { answerHeader, type Engine, rowsHeader } from '../engine/index.ts'

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
  /** Has the answer written into a file, which only the embedded engine can: nothing of it goes through a socket. */
  answerInto?(asked: ExecParams, file: string): Promise<void>
  /** Which life of the store this is; asked before a query, and told to `ended`. */
  life(): number | undefined
  /** Resolves once the query of that id can change nothing any more, whatever became of its connection. */
  ended(queryId: string, life: number | undefined): Promise<void>
  close(): Promise<void>
}

export type RowsInsert = Pick<ExecParams, 'query_params' | 'query_id' | 'clickhouse_settings'> & {
  /** Ends in `FORMAT …`, and so says what the rows are written in. */
  readonly query: string
  readonly rows: Buffer
}

// A batch of 32 MB takes under a second; half a minute is a store in trouble. Also how long an answer may say nothing.
export const queryLimitSeconds = 120

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
    async insert({ rows, ...rest }) {
      const name = `${randomUUID()}.rows`
      const file = join(engine.spool, name)
      try {
        await writeFile(file, rows, { mode: 0o600, flag: 'wx' }).catch((error) => {
          throw unavailable(error)
        })
        await drain(await client.exec({ ...rest, http_headers: { [rowsHeader]: name } }))
      } finally {
        await rm(file, { force: true })
      }
    },
    async answerInto(asked, file) {
      const name = `${randomUUID()}.answer`
      const made = join(engine.spool, name)
      const http_headers = { ...asked.http_headers, [answerHeader]: name }
      try {
        await drain(await client.exec({ ...asked, http_headers }))
        await moveFile(made, file)
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
  const kill = `KILL QUERY${onCluster} WHERE query_id = {id:String} SYNC`
  return {
    client,
    mayBeCut: true,
    async change(statements) {
      for (const query of statements) await client.command({ query })
    },
    listsAllParts: cluster === undefined,
    async insert({ rows, query_id: queryId = randomUUID(), clickhouse_settings, ...rest }) {
      const once = async () => {
        const values = Readable.from([rows], { objectMode: false })
        // The token makes a repeat harmless: the store drops it when the first one is there.
        const settings = { insert_deduplication_token: queryId, ...clickhouse_settings }
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

/** An error that the store finds late comes at the end of its answer. */
async function drain({ stream }: { readonly stream: AsyncIterable<unknown> }): Promise<void> {
  for await (const _ of stream);
}

/** UNKNOWN_STATUS_OF_INSERT: too few replicas answered in time; what was inserted may yet appear. */
const unknownEnd = '319'

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

// Nothing was done, and in a moment it may be: too many queries (202) or parts (252), no word from the keeper (225, 242,
// 999) or from replicas (279, 285), another insert still waits for its replicas (286), this replica lags behind (289).
const soonOver = new Set(['202', '225', '242', '252', '279', '285', '286', '289', '999'])

/** Asks again while the store says that it cannot just now; what waits longer than this is better told so. */
export async function patiently<T>(work: () => Promise<T>, patienceMs = 10_000): Promise<T> {
  const until = performance.now() + patienceMs
  for (let pauseMs = 50; ; pauseMs = Math.min(1000, pauseMs * 2)) {
    try {
      return await work()
    } catch (error) {
      const isOver = performance.now() + pauseMs > until
      if (isOver || !(error instanceof ClickHouseError) || !soonOver.has(error.code)) throw error
    }
    // Not in step with the other processes that wait for the same thing.
    await sleep(pauseMs * (0.5 + Math.random()))
  }
}

// Codes of ClickHouse that mean "not now": those above, time, quota, no connection, out of memory, out of disk, cancelled.
const passing = new Set([...soonOver, '159', '201', '209', '210', '241', '243', unknownEnd, '394'])

// Whatever the store was doing: a disk that fails (5), no more files (23, 24), no room (28, 122), read-only (30). The
// engine child says the name of what kept it from handling an answer.
const storesMachine = /\berrno: (?:5|23|24|28|30|122)\b|\b(?:EIO|EMFILE|ENFILE|ENOSPC|EROFS|EDQUOT):/

const isPassing = ({ code, message }: ClickHouseError): boolean => passing.has(code) || storesMachine.test(message)

/** An error of the store as the caller hears it: one that may pass is `unavailable`, any other is our own bug. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (error instanceof ClickHouseError) return isPassing(error) ? unavailable(error) : error
  return mayPass(error) ? unavailable(error) : error
}

const unavailable = (cause: unknown): Problem => {
  const problem = problems.unavailable('The record store does not answer just now; try again')
  problem.cause = cause
  return problem
}

/** What came is not all that was asked for. */
export const brokenOff = (why: string): Problem => {
  const problem = problems.unavailable('The record store answered with a part of a result; try again')
  problem.cause = new Error(why)
  return problem
}

const passingErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  // Of this machine: no room, a disk that fails or may not be written, no more files.
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
])

function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (
    (code !== undefined && passingErrors.has(code)) ||
    /socket hang up|aborted|timeout|premature close/i.test(error.message)
  )
}

/** A small answer, whole or not at all: in this format it says at its end how many rows it has. */
export async function askRows<T>(
  client: ClickHouseClient,
  query: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<T[]> {
  const answer = await client.query({
    query,
    query_params: { ...params },
    format: 'JSON',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0, max_execution_time: queryLimitSeconds },
  })
  const text = await answer.text()
  const whole = readWhole<T>(text)
  if (!whole) throw brokenOff(`an answer ends after ${text.length} characters`)
  return whole
}

function readWhole<T>(text: string): T[] | undefined {
  try {
    const { data, rows } = JSON.parse(text) as { readonly data?: T[]; readonly rows?: number }
    return data?.length === rows ? data : undefined
  } catch {
    return undefined
  }
}

/** Runs a query of ours, which must be harmless when run again, and turns its failure into what the caller may hear. */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await patiently(work, 2_000)
  } catch (error) {
    throw asProblem(error)
  }
}
