/** One request over a connection of ours: in time, in pieces, and its failure in a few words. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type Answer, type Body, type OutgoingRequest, OutsideError, type Trouble } from './destinations/index.ts'

export type Timeouts = {
  /** For our own identity, for the name, and for the connection with its TLS: each. */
  readonly connectMs: number
  /** Without a byte going either way. */
  readonly idleMs: number
  readonly wholeMs: number
}

const longestAnswer = 64 * 1024

/** One request, one answer, or an OutsideError that says in a few words what went wrong. */
export async function send(
  agent: Dispatcher,
  request: OutgoingRequest,
  { idleMs, wholeMs }: Timeouts,
  called?: AbortSignal,
): Promise<Answer> {
  const { method, url, body } = request
  const stop = new AbortController()
  const giveUp = (after: number) => () =>
    stop.abort(new OutsideError('timeout', `no answer from ${url.host} in ${after / 1000} s`))
  const whole = setTimeout(giveUp(wholeMs), wholeMs)
  let idle: NodeJS.Timeout | undefined
  const progress = () => {
    clearTimeout(idle)
    idle = setTimeout(giveUp(idleMs), idleMs)
  }
  const callOff = () => stop.abort(new OutsideError('timeout', `the request to ${url.host} was called off`))
  called?.addEventListener('abort', callOff, { once: true })
  try {
    if (called?.aborted) callOff()
    stop.signal.throwIfAborted()
    const answer: Dispatcher.ResponseData = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: { 'user-agent': 'spillway', 'content-length': String(lengthOf(body)), ...request.headers },
      // The idle clock starts when the body is asked for: waiting for a free connection is not the receiver's fault.
      body: body === null ? null : Readable.from(chunks(body, progress)),
      signal: stop.signal,
    })
    progress()
    return {
      status: answer.statusCode,
      headers: plainHeaders(answer.headers),
      body: await readText(answer.body, progress),
    }
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : explain(error, url.host)
  } finally {
    clearTimeout(whole)
    clearTimeout(idle)
    called?.removeEventListener('abort', callOff)
  }
}

const lengthOf = (body: Body | null): number => {
  if (body === null) return 0
  return body instanceof Uint8Array ? body.byteLength : body.size
}

const chunkBytes = 64 * 1024

/** The body in pieces, so that each piece the receiver takes counts as progress. */
async function* chunks(body: Body, progress: () => void): AsyncGenerator<Uint8Array> {
  progress()
  if (body instanceof Uint8Array) {
    for (let at = 0; at < body.byteLength; at += chunkBytes) {
      yield body.subarray(at, at + chunkBytes)
      progress()
    }
    return
  }
  for await (const chunk of createReadStream(body.file, { highWaterMark: chunkBytes })) {
    yield chunk
    progress()
  }
}

/** As much of the answer as anyone reads; it is not decompressed, so no bomb can unfold. */
async function readText(body: Dispatcher.ResponseData['body'], progress: () => void): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    progress()
    parts.push(part)
    length += part.length
    if (length >= longestAnswer) break
  }
  return Buffer.concat(parts).subarray(0, longestAnswer).toString('utf8')
}

const plainHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

/** What Node and undici call it, and what we say. */
const troubles: readonly (readonly [RegExp, Trouble, string])[] = [
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'timeout', 'no answer in time'],
  [/^ENOTFOUND$|^EAI_/, 'dns', 'the name cannot be resolved'],
  [/^ECONNREFUSED$/, 'connect', 'connection refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect', 'no route to the host'],
  [
    /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^HOSTNAME_MISMATCH$/,
    'tls',
    'TLS failed',
  ],
  [
    /^(ECONNRESET|EPIPE)$|^HPE_|^UND_ERR_(SOCKET|DESTROYED|CLOSED|ABORTED|HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/,
    'reset',
    'the connection broke',
  ],
]

function explain(error: unknown, host: string): unknown {
  if (error instanceof OutsideError) return error
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  const found = troubles.find(([codes]) => codes.test(code))
  if (!found) return error
  const [, trouble, says] = found
  const detail = trouble === 'tls' ? ` (${code})` : ''
  return new OutsideError(trouble, `${host}: ${says}${detail}`, error)
}

/** Ends the waiting, not the work. */
export async function inTime<T>(work: Promise<T>, withinMs: number, late: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutsideError('timeout', late)), withinMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
