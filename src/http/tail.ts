/** The WebSockets of live tail. A session's id is all the credential there is, so it stands in no log line. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { Problem } from '../base/index.ts'
import type { Tails } from '../logs/index.ts'
import { refusal, statusOf } from './problems.ts'

const path = '/instant-logs/ws/sessions/'

/** Where a session is read. Whether a proxy before us speaks TLS only the proxy can say; it is the caller's own address. */
export function addressOfSession(id: string, origin: string, headers: IncomingHttpHeaders): string {
  const isSecure = origin.startsWith('https:') || headers['x-forwarded-proto'] === 'https'
  return `${isSecure ? 'wss' : 'ws'}://${origin.replace(/^\w+:\/\//, '')}${path}${id}`
}

/** Every other request that offers an upgrade is answered as if it had offered none. */
export const isTailRequest = ({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean =>
  (url ?? '').startsWith(path) && headers.upgrade?.toLowerCase() === 'websocket'

// A reader that answers no ping is gone, whatever its connection looks like.
const pingEveryMs = 20_000

export function serveTails(app: FastifyInstance, tails: Tails): void {
  // Readers have nothing to say.
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false })
  const answered = new WeakSet<WebSocket>()
  const ping = setInterval(() => {
    for (const socket of server.clients) {
      if (!answered.delete(socket)) socket.terminate()
      else socket.ping()
    }
  }, pingEveryMs)
  ping.unref()

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const id = (request.url ?? '').slice(path.length)
    try {
      if (!isTailRequest(request)) return void socket.destroy()
      tails.admit(id)
    } catch (error) {
      if (error instanceof Problem) return refuse(socket, error)
      throw error
    }
    server.handleUpgrade(request, socket, head, (reader) => {
      answered.add(reader)
      reader.on('pong', () => answered.add(reader))
      reader.on('error', () => reader.terminate())
      const leave = tails.join(id, {
        waiting: () => reader.bufferedAmount,
        send: (frame) => reader.send(frame, { binary: false }),
        end: (reason) => reader.close(1000, reason),
      })
      if (leave) reader.on('close', leave)
      else reader.close(1000, 'the session is over')
    })
  })

  // Before the server waits for its connections to end.
  app.addHook('preClose', async () => {
    clearInterval(ping)
    tails.close()
    server.close()
    const late = setTimeout(() => {
      for (const socket of server.clients) socket.terminate()
    }, 500)
    late.unref()
  })
}

const words: Readonly<Record<number, string>> = { 404: 'Not Found', 429: 'Too Many Requests' }

function refuse(socket: Duplex, problem: Problem): void {
  const status = statusOf(problem)
  const body = JSON.stringify(refusal(problem.details))
  const wait = problem.retryAfter === undefined ? '' : `retry-after: ${problem.retryAfter}\r\n`
  socket.end(
    `HTTP/1.1 ${status} ${words[status] ?? 'Refused'}\r\nconnection: close\r\ncontent-type: application/json\r\n${wait}` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
