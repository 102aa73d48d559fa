/**
 * Keeps one engine child running.
 *
 * States: *starting* (a child was forked; `ready` leads to *ready*, its end to *waiting*), *ready* (it listens; its end
 * leads to *waiting*), *waiting* (a pause that doubles from 50 ms to 5 s with each child that never got ready; leads to
 * *starting*), *closed* (nothing leads out). A child that is not ready in time is ended.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Log } from '../base/index.ts'
import type { ChildOptions } from './child.ts'

export type EngineAddress = { readonly socketPath: string } | { readonly url: string }

export type EngineOptions = {
  /** Holds the records, the spool of queries and the socket; made with mode 0700. */
  readonly directory: string
  /** TCP instead of the Unix socket, so that several processes can share one record store by URL. Port 0 takes a free one. */
  readonly listen?: { readonly host: string; readonly port: number; readonly user: string; readonly password: string }
  /** What one query may use; the rest of the process needs about 300 MB. */
  readonly maxMemoryBytes?: number
  readonly maxThreads?: number
}

export type Engine = {
  readonly address: EngineAddress
  /** Where rows may be put for an insert that names their file; emptied by each new child. */
  readonly spool: string
  /** The process that holds the records now; undefined between two of them. */
  pid(): number | undefined
  isReady(): boolean
  /** Resolves when a child listens: at once, or after the restart under way. */
  ready(): Promise<void>
  /** Ends the child, whatever it is doing; a new one takes over. */
  restart(why: string): Promise<void>
  close(): Promise<void>
}

const [shortestPauseMs, longestPauseMs, startLimitMs] = [50, 5_000, 30_000]
// The same ending as this file: .ts in a checkout, .js in an installed package.
const childFile = join(import.meta.dirname, `child${extname(import.meta.filename)}`)

// sun_path holds 108 bytes with the final zero.
const longestSocketPath = 107

export async function startEngine({ log }: { readonly log: Log }, options: EngineOptions): Promise<Engine> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  chmodSync(options.directory, 0o700)
  const socket = options.listen ? undefined : socketPlace(options.directory)
  let childOptions: ChildOptions = {
    directory: options.directory,
    listen: options.listen ?? { socketPath: socket?.path ?? '' },
    maxMemoryBytes: options.maxMemoryBytes ?? 1_500_000_000,
    maxThreads: options.maxThreads ?? 2,
  }
  let child: ChildProcess | undefined
  let isReady = false
  let isClosed = false
  let pauseMs = shortestPauseMs
  let lastWords = ''
  let turn = Promise.withResolvers<void>()
  // Whoever waits hears of a failure; nobody waiting is no failure.
  turn.promise.catch(() => {})

  const start = () => {
    if (isClosed) return
    lastWords = ''
    const started = fork(childFile, [JSON.stringify(childOptions)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Nothing of our environment: it may hold secrets. Threads for eight queries, their files and some room.
      env: { TZ: 'UTC', UV_THREADPOOL_SIZE: '24' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child = started
    const tooLate = setTimeout(() => started.kill('SIGKILL'), startLimitMs)
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-2_000)
    })
    started.on('message', (message: { readonly ready?: boolean; readonly port?: number }) => {
      if (!message.ready) return
      clearTimeout(tooLate)
      pauseMs = shortestPauseMs
      // A port once taken is kept, so that the address outlives the child.
      if (options.listen && message.port)
        childOptions = { ...childOptions, listen: { ...options.listen, port: message.port } }
      isReady = true
      turn.resolve()
    })
    started.on('error', (error) => log.error({ err: error }, 'the record engine could not be started'))
    started.on('exit', (code, signal) => {
      clearTimeout(tooLate)
      child = undefined
      if (isReady) {
        turn = Promise.withResolvers<void>()
        turn.promise.catch(() => {})
      }
      isReady = false
      if (isClosed) return
      log.error(
        { code, signal, said: lastWords.trim(), againInMs: pauseMs },
        'the record engine ended; starting it again',
      )
      setTimeout(start, pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    })
  }

  const end = async () => {
    const ending = child
    if (!ending) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await ended
  }

  const close = async () => {
    isClosed = true
    turn.reject(new Error('the record engine is closed'))
    await end()
    socket?.remove()
  }

  start()
  try {
    const tooLong = failAfter(startLimitMs, () => `the record engine did not start: ${lastWords.trim()}`)
    await Promise.race([turn.promise, tooLong])
  } catch (error) {
    await close()
    throw error
  }
  const { listen } = childOptions
  return {
    address: 'socketPath' in listen ? listen : { url: toUrl(listen) },
    spool: join(options.directory, 'tmp'),
    pid: () => child?.pid,
    isReady: () => isReady,
    ready: () => turn.promise,
    async restart(why) {
      log.warn({ why }, 'ending the record engine')
      await end()
    },
    close,
  }
}

/** Beside the records, or below the system's temporary directory when that path is too long for a socket. */
function socketPlace(directory: string): { readonly path: string; remove(): void } {
  const path = join(directory, 'engine.sock')
  if (Buffer.byteLength(path) <= longestSocketPath) return { path, remove: () => rmSync(path, { force: true }) }
  const short = mkdtempSync(join(tmpdir(), 'spillway-'))
  return { path: join(short, 'engine.sock'), remove: () => rmSync(short, { recursive: true, force: true }) }
}

const toUrl = ({ host, port, user, password }: NonNullable<EngineOptions['listen']>): string =>
  `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/default`

async function failAfter(ms: number, why: () => string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref())
  throw new Error(why())
}
