/** A proxy on 127.0.0.1 that stands before an endpoint and spoils connections, so that no endpoint has to know how. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * `refuse`: every connection is broken at once. `hang`: nothing comes back for a second, then the connection breaks.
 * `cut`: it breaks in the middle of what the sender says. `deaf`: the endpoint hears all of it, but its answer is lost.
 * `busy`: 503 without asking the endpoint; only where no TLS is in the way.
 */
export type Mood = 'well' | 'refuse' | 'hang' | 'cut' | 'deaf' | 'busy'

export type Chaos = {
  readonly port: number
  /** Holds at once, for open connections too. */
  mood: Mood
  /** How often each mood met a connection. */
  readonly met: Readonly<Record<Mood, number>>
  stop(): Promise<void>
}

const busyAnswer =
  'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

export async function startChaos(target: { readonly port: number }): Promise<Chaos> {
  const met: Record<Mood, number> = { well: 0, refuse: 0, hang: 0, cut: 0, deaf: 0, busy: 0 }
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    keep(client)
    met[chaos.mood] += 1
    if (chaos.mood === 'refuse') return void client.resetAndDestroy()
    const upstream = keep(connect(target.port, '127.0.0.1'))
    const breakBoth = () => {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.on('data', (bytes) => {
      if (chaos.mood === 'well' || chaos.mood === 'deaf') return void upstream.write(bytes)
      if (chaos.mood === 'busy') return void client.end(busyAnswer)
      if (chaos.mood === 'hang') return void setTimeout(breakBoth, 1000)
      if (chaos.mood === 'cut') upstream.write(bytes.subarray(0, bytes.length >> 1))
      // What was passed on shall reach the endpoint before the end does.
      setTimeout(breakBoth, 5)
    })
    upstream.on('data', (bytes) => (chaos.mood === 'deaf' ? breakBoth() : client.write(bytes)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const chaos: Chaos = {
    port: (server.address() as AddressInfo).port,
    mood: 'well',
    met,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
  return chaos
}
