/** A server on a port of 127.0.0.1, a free one unless said, that hands over whole requests and is gone, sockets and all, when stopped. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from './certificates.ts'

export type Running = { readonly url: string; readonly port: number; stop(): Promise<void> }

/** `reset` breaks the connection below TLS, with RST and no goodbye. */
type Handle = (request: IncomingMessage, response: ServerResponse, reset: () => void) => void | Promise<void>

export async function listen(handle: Handle, certificate?: Certificate, wanted = 0): Promise<Running> {
  const sockets = new Map<number | undefined, Socket>()
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await handle(request, response, () => sockets.get(request.socket.remotePort)?.resetAndDestroy())
    } catch (error) {
      // A sender that breaks off is what some tests are about.
      if (!request.destroyed) throw error
    }
  }
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  server.on('connection', (socket: Socket) => sockets.set(socket.remotePort, socket))
  // A client that refuses our certificate is what some tests are about.
  server.on('tlsClientError', () => {})
  await new Promise<void>((done) => server.listen(wanted, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

export function reply(
  response: ServerResponse,
  status: number,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, headers)
  response.end(body)
}
