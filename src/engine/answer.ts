/**
 * Answers one request of the protocol. Rows that come in are spooled to a file before the engine reads them; an answer
 * is written to a file by the engine, compressed if asked for, and sent while it grows: the engine never waits for a
 * slow reader, and a reader never waits for the last row. When the reader goes, the query is killed.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { type Ask, givesRows, killStatement, readAsk, takesRows, toStatements } from './statement.ts'

type Connection = {
  queryAsync(sql: string, options: { readonly format: string }): Promise<{ readonly rowsRead: number }>
  close(): void
}

export type AnswererNeeds = {
  /** A connection of its own for each request: settings and parameters cannot leak (0.8 ms, measured). */
  connect(): Connection
  readonly temporary: string
  /** Settings that hold where a request says nothing else. */
  readonly caps: readonly (readonly [name: string, value: string])[]
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  /** The last resort against a query that does not stop when killed. */
  endNow(): void
}

/** Names a file of rows in the engine's own directory, instead of rows in the body. */
export const rowsHeader = 'x-spillway-rows'
/** Names a file there that the answer is left in, instead of being sent. */
export const answerHeader = 'x-spillway-answer'

// More queries than this at once only thrash; the others wait. libuv has threads enough for all and for files besides.
const mostQueries = 8
const killGraceMs = 10_000

export function makeAnswerer(needs: AnswererNeeds): RequestListener {
  const slots = makeSlots(mostQueries)
  const underWay: UnderWay = new Map()
  return (request, response) => {
    // A connection that breaks is seen by `gone`; nobody is left to tell.
    response.on('error', () => {})
    const url = new URL(request.url ?? '/', 'http://engine')
    const answered = answer(needs, slots, underWay, url, request, response).catch((error: Error) =>
      sendError(response, error),
    )
    const id = url.searchParams.get('query_id')
    if (id === null) return
    underWay.set(id, answered)
    void answered.then(() => underWay.delete(id))
  }
}

/** Requests that gave themselves an id, until they can change nothing any more. */
type UnderWay = Map<string, Promise<unknown>>

/** The one way in which a server is asked to end a query: with `SYNC`, so that the answer says that it has ended. */
const killedBy = ({ sql, params }: Ask): string | undefined =>
  /^kill query\b.*\bwhere query_id = \{id:String\} sync$/i.test(sql) ? params.get('id') : undefined

async function answer(
  needs: AnswererNeeds,
  slots: Slots,
  underWay: UnderWay,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
) {
  if (url.pathname === '/ping') return void response.end('Ok.\n')
  if (!isAdmitted(needs, request, url)) throw new Error(wrongPassword)
  const gone = new AbortController()
  response.on('close', () => response.writableFinished || gone.abort())

  const ownId = randomUUID()
  const spooled = namedFile(needs, request, rowsHeader)
  const rows = spooled ?? join(needs.temporary, `${ownId}.rows`)
  const kept = namedFile(needs, request, answerHeader)
  const result = kept ?? join(needs.temporary, `${ownId}.answer`)
  let isKept = false
  try {
    const ask = await readRequest(request, url, ownId, spooled ? undefined : rows)
    const killed = killedBy(ask)
    if (killed !== undefined) {
      await killQuery(needs, killed)
      await underWay.get(killed)
      return void response.end()
    }
    const files = {
      ...(takesRows(ask.sql) ? { rows } : {}),
      ...(givesRows(ask.sql) ? { answer: result } : {}),
    }
    const statements = toStatements({ ...ask, settings: new Map([...needs.caps, ...ask.settings]) }, files)
    await slots.take(gone.signal)
    const running = run(needs, ask, statements, gone.signal).finally(slots.give)
    response.setHeader('x-clickhouse-query-id', ask.queryId)
    if (files.answer && !kept) await sendGrowing(response, ask, result, running, gone.signal)
    else {
      const rows = await running
      isKept = kept !== undefined
      response.setHeader('x-clickhouse-summary', JSON.stringify(files.answer ? { result_rows: String(rows) } : {}))
      response.end()
    }
  } finally {
    await Promise.all([
      spooled ? undefined : rm(rows, { force: true }),
      isKept ? undefined : rm(result, { force: true }),
    ])
  }
}

const wrongPassword =
  'Code: 516. DB::Exception: default: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)'

function isAdmitted({ credentials }: AnswererNeeds, { headers }: IncomingMessage, url: URL): boolean {
  if (!credentials) return true
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  const [user, password] = basic
    ? Buffer.from(basic, 'base64').toString().split(/:(.*)/s)
    : [
        headers['x-clickhouse-user'] ?? url.searchParams.get('user'),
        headers['x-clickhouse-key'] ?? url.searchParams.get('password'),
      ]
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(`${user}:${password}`), digest(`${credentials.user}:${credentials.password}`))
}

/** The parent may put rows into our directory and take answers out of it; nobody else is let near it. */
function namedFile(
  { temporary, credentials }: AnswererNeeds,
  { headers }: IncomingMessage,
  header: string,
): string | undefined {
  const name = headers[header]
  if (name === undefined || credentials) return undefined
  if (typeof name !== 'string' || !/^[\w-]+\.(rows|answer)$/.test(name))
    throw new Error(`no file of ours is called ${name}`)
  return join(temporary, name)
}

/** With the query in the URL the body holds rows and goes to a file; otherwise the body is the query. */
async function readRequest(request: IncomingMessage, url: URL, ownId: string, rows: string | undefined): Promise<Ask> {
  const accept = String(request.headers['accept-encoding'] ?? '')
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
  if (rows !== undefined && takesRows(url.searchParams.get('query') ?? '')) {
    await pipeline(body, createWriteStream(rows, { mode: 0o600, highWaterMark: 4 << 20 }))
    return readAsk(url, accept, '', ownId)
  }
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return readAsk(url, accept, Buffer.concat(chunks).toString(), ownId)
}

/** Runs the statements on a connection of their own and kills them when the asker goes; gives the rows of the answer. */
async function run(needs: AnswererNeeds, ask: Ask, statements: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted()
  const connection = needs.connect()
  let lastResort: NodeJS.Timeout | undefined
  const kill = () => {
    lastResort = setTimeout(needs.endNow, killGraceMs)
    killQuery(needs, ask.queryId).catch(needs.endNow)
  }
  signal.addEventListener('abort', kill)
  try {
    // The library's name is for what it has read of the answer to write it out.
    const { rowsRead } = await connection.queryAsync(statements, { format: 'Null' })
    return rowsRead
  } finally {
    signal.removeEventListener('abort', kill)
    clearTimeout(lastResort)
    connection.close()
  }
}

async function killQuery(needs: AnswererNeeds, queryId: string): Promise<void> {
  const connection = needs.connect()
  try {
    await connection.queryAsync(killStatement(queryId), { format: 'Null' })
  } finally {
    connection.close()
  }
}

/** Sends the file as far as it is written, until the query has ended and all of it is sent. */
async function sendGrowing(
  response: ServerResponse,
  ask: Ask,
  file: string,
  running: Promise<unknown>,
  gone: AbortSignal,
): Promise<void> {
  let hasEnded = false
  const ended = running.finally(() => {
    hasEnded = true
  })
  ended.catch(() => {})
  if (ask.encoding !== 'identity') response.setHeader('content-encoding', ask.encoding)
  response.setHeader('content-type', 'application/octet-stream')
  const chunk = Buffer.allocUnsafe(1 << 20)
  let handle: FileHandle | undefined
  try {
    for (let offset = 0; ; ) {
      gone.throwIfAborted()
      const wasEnded = hasEnded
      handle ??= await open(file).catch(() => undefined)
      const { bytesRead } = (await handle?.read(chunk, 0, chunk.length, offset)) ?? { bytesRead: 0 }
      offset += bytesRead
      if (bytesRead > 0) {
        if (!response.write(Buffer.from(chunk.subarray(0, bytesRead)))) await drained(response, gone)
      } else if (wasEnded) break
      else await Promise.race([ended.catch(() => {}), sleep(10)])
    }
    await ended
    response.end()
  } finally {
    await handle?.close()
  }
}

async function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (!response.writableNeedDrain) return
  await new Promise<void>((resolve) => {
    response.once('drain', resolve)
    gone.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Half an answer must not look like a whole one: once bytes have left, the connection is cut. */
function sendError(response: ServerResponse, error: Error): void {
  if (response.headersSent) return void response.destroy()
  const code = /^Code: (\d+)/.exec(error.message)?.[1] ?? '1002'
  const said = error.message.startsWith('Code: ') ? error.message : `Code: 1002. DB::Exception: ${error.message}`
  // A zero byte in what a sender wrote cuts the words short; without the name at their end clients know no error of ours.
  const text = /\([A-Z][A-Z0-9_]+\)/.test(said) ? said : `${said} (UNKNOWN_EXCEPTION)`
  response.removeHeader('content-encoding')
  response.writeHead(code === '516' ? 403 : 500, {
    'content-type': 'text/plain; charset=UTF-8',
    'x-clickhouse-exception-code': code,
  })
  response.end(`${text}\n`)
}

type Slots = { take(signal: AbortSignal): Promise<void>; give(): void }

function makeSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async take(signal) {
      if (free > 0) free -= 1
      else {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          signal.addEventListener('abort', () => {
            const at = waiting.indexOf(resolve)
            if (at !== -1) waiting.splice(at, 1)
            if (at !== -1) resolve()
          })
        })
        signal.throwIfAborted()
      }
    },
    give() {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    },
  }
}
