/**
 * The record store: the embedded engine behind its socket, or a ClickHouse server by URL. Both speak the same protocol;
 * nothing past this file knows which it is.
 */
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ExecParams,
} from '@clickhouse/client'
import { Problem, problems } from '../base/index.ts'
import { type Engine, rowsHeader } from '../engine/index.ts'

export type RecordStore = {
  readonly client: ClickHouseClient
  /** Resolves when the store has taken the rows, all of them or with an error none. */
  insert(insert: RowsInsert): Promise<void>
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
    life: engine.pid,
    async ended(_queryId, life) {
      if (engine.isReady() && engine.pid() === life) await engine.restart('an insert has an unknown end')
      await engine.ready()
    },
    close: () => client.close(),
  }
}

/** `http(s)://user:password@host:8123/database`. */
export function connectByUrl(address: string): RecordStore {
  const client = createClient({ ...common, url: address })
  return {
    client,
    insert: async ({ rows, ...rest }) =>
      drain(await client.exec({ ...rest, values: Readable.from([rows], { objectMode: false }) })),
    life: () => undefined,
    async ended(queryId) {
      for (;;) {
        const killed = await client
          .command({ query: 'KILL QUERY WHERE query_id = {id:String} SYNC', query_params: { id: queryId } })
          .catch(() => undefined)
        if (killed) return
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    },
    close: () => client.close(),
  }
}

/** An error that the store finds late comes at the end of its answer. */
async function drain({ stream }: { readonly stream: AsyncIterable<unknown> }): Promise<void> {
  for await (const _ of stream);
}

// Codes of ClickHouse that mean "not now": out of memory, too many parts or queries, no connection to a replica, time.
const passing = new Set(['159', '201', '202', '209', '210', '241', '242', '252', '285', '319', '394', '999'])

/** An error of the store as the caller hears it: one that may pass is `unavailable`, any other is our own bug. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (error instanceof ClickHouseError) return passing.has(error.code) ? unavailable(error) : error
  return isConnectionError(error) ? unavailable(error) : error
}

const unavailable = (cause: unknown): Problem => {
  const problem = problems.unavailable('The record store does not answer just now; try again')
  problem.cause = cause
  return problem
}

const connectionErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
])

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (
    (code !== undefined && connectionErrors.has(code)) ||
    /socket hang up|aborted|timeout|premature close/i.test(error.message)
  )
}

/** Runs a query of ours and turns its failure into what the caller may hear. */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asProblem(error)
  }
}
