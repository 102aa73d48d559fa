/**
 * The engine's own process: opens the data directory, listens, and says `ready` to its parent. It ends at once, whatever
 * it is doing, when the parent goes: a service killed with -9 leaves nobody behind who holds the data directory.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { Session } from 'chdb'
import { makeAnswerer } from './answer.ts'

export type ChildOptions = {
  readonly directory: string
  readonly listen:
    | { readonly socketPath: string }
    | { readonly host: string; readonly port: number; readonly user: string; readonly password: string }
  readonly maxMemoryBytes: number
  readonly maxThreads: number
}

// Whatever the engine writes is nobody else's.
process.umask(0o077)
// Merging and exporting can wait for a moment; whoever asks the API should not. Threads inherit it from the one that makes
// them, so it comes before any. On two busy cores 1,980 requests a second got through instead of 1,640 (bench/load.ts).
setPriority(5)
const options = JSON.parse(process.argv[2] ?? '') as ChildOptions
const endNow = () => process.kill(process.pid, 'SIGKILL')
process.on('disconnect', endNow)
process.on('SIGTERM', endNow)
// Ctrl-C reaches the whole process group; the parent decides when its engine goes.
process.on('SIGINT', () => {})

const path = join(options.directory, 'store')
const temporary = join(options.directory, 'tmp')
mkdirSync(path, { recursive: true, mode: 0o700 })
// The first connection takes the lock of the data directory and stays open; it fails while another engine lives there.
const first = new Session(path, {
  connectionArgs: ['--async_load_databases=0'],
})
rmSync(temporary, { recursive: true, force: true })
mkdirSync(temporary, { mode: 0o700 })

const { listen } = options
const answerer = makeAnswerer({
  connect: () => new Session(path),
  temporary,
  // Set for each query, because chdb passes only some of them on from its arguments.
  caps: [
    ['max_memory_usage', String(options.maxMemoryBytes)],
    ['max_threads', String(options.maxThreads)],
  ],
  credentials: 'user' in listen ? { user: listen.user, password: listen.password } : undefined,
  endNow,
})
// Inserts carry their whole statement in the URL: 500 fields make some 100 KB of it.
const server = createServer({ maxHeaderSize: 1 << 20, requestTimeout: 0, keepAliveTimeout: 60_000 }, answerer)
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
const isReady = () => {
  const address = server.address()
  process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined, open: first.open })
}
if ('socketPath' in listen) {
  rmSync(listen.socketPath, { force: true })
  server.listen(listen.socketPath, () => {
    chmodSync(listen.socketPath, 0o600)
    isReady()
  })
} else server.listen(listen.port, listen.host, isReady)
