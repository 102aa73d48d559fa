/** A strait: a TCP proxy on 127.0.0.1 before a server, whose passage a test closes, slows, silences and cuts short. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * `closed`: nobody gets through, and who is on the way is cut off. `silent`: connections are taken, and nothing passes.
 * `delayMs`: whatever passes takes this long. `bytesBack`: answers break off after so many bytes of a connection.
 */
export type Passage = 'open' | 'closed' | 'silent' | { readonly delayMs: number } | { readonly bytesBack: number }

export type Strait = {
  readonly port: number
  passage: Passage
  /** How many connections were broken off within an answer. */
  brokenOff(): number
  /** Cuts every connection that is open now; new ones are taken. */
  cut(): void
  stop(): Promise<void>
}

export async function startStrait(target: { readonly port: number }): Promise<Strait> {
  const open = new Set<Socket>()
  let passage: Passage = 'open'
  let brokenOff = 0
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  const keep = (socket: Socket) => {
    open.add(socket)
    return socket.on('error', () => {}).on('close', () => open.delete(socket))
  }
  const server = createServer((client) => {
    keep(client)
    if (passage === 'closed') return void client.resetAndDestroy()
    const upstream = keep(connect(target.port, '127.0.0.1'))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    const pass = (bytes: Buffer, to: Socket) => {
      if (passage === 'silent') return
      if (typeof passage === 'object' && 'delayMs' in passage) setTimeout(() => to.write(bytes), passage.delayMs)
      else to.write(bytes)
    }
    client.on('data', (bytes: Buffer) => pass(bytes, upstream))
    let back = 0
    upstream.on('data', (bytes: Buffer) => {
      back += bytes.length
      if (typeof passage === 'string' || !('bytesBack' in passage) || back <= passage.bytesBack)
        return pass(bytes, client)
      brokenOff += 1
      // The beginning of the answer arrives; then its end never does.
      client.write(bytes.subarray(0, Math.max(0, bytes.length - (back - passage.bytesBack))), () => {
        client.destroySoon()
        upstream.destroy()
      })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    get passage() {
      return passage
    },
    set passage(next) {
      // What was swallowed in silence cannot be made good: who waited for it finds its connection gone.
      if (passage === 'silent' || next === 'closed') cut()
      passage = next
    },
    brokenOff: () => brokenOff,
    cut,
    async stop() {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
