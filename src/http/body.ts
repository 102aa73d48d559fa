/** What a request must be before any operation sees it: well-formed HTTP, and a body of well-formed JSON. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { problems } from '../base/index.ts'
import { refusal } from './problems.ts'

/**
 * JSON only when it is UTF-8, well formed, and free of keys that poison prototypes and of NUL, which PostgreSQL cannot
 * keep. An empty body is no body.
 */
export function readJsonStrictly(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') return done(problems.wrongEncoding(encoding))
    if (body.length === 0) return done(null, undefined)
    let text: string
    try {
      text = utf8.decode(body as Buffer)
    } catch {
      return done(problems.malformedBody('it is not UTF-8'))
    }
    if (escapedNul.test(text)) return done(problems.malformedBody('it holds the character NUL'))
    parse(request, text, (error, value) => (error ? done(problems.malformedBody(said(error))) : done(null, value)))
  })
}

/** An odd number of backslashes before `u0000`; raw control characters are no JSON in any case. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/

const said = (error: Error): string =>
  error.message.startsWith('Body is not valid JSON') ? 'it is not JSON' : error.message

const lingerMs = 1_000

/** What is not even HTTP is refused in the envelope too. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const [status, why] = tooLarge
    ? ['431 Request Header Fields Too Large', 'the headers are too large']
    : ['400 Bad Request', 'it is not well-formed HTTP']
  const body = JSON.stringify(
    refusal([{ code: 6004, message: `Malformed request: ${late ? 'it took too long' : why}` }]),
  )
  const { rawPacket } = error as { rawPacket?: unknown }
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).equals(Buffer.from('HEAD '))
  socket.end(
    `HTTP/1.1 ${late ? '408 Request Timeout' : status}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `x-request-id: ${randomUUID()}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${isHead ? '' : body}`,
  )
  // Nobody reads from it any more; who does not close it in turn, or goes on sending, would hold it forever.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

/** `Expect` with anything but 100-continue. */
export function answerExpectation(_: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(refusal([{ code: 6004, message: 'Malformed request: Expect knows only 100-continue' }]))
  response
    .writeHead(417, {
      connection: 'close',
      'content-type': 'application/json',
      'x-request-id': randomUUID(),
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}
