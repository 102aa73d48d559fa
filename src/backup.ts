/**
 * A backup of the embedded form, taken while the service runs, and the way back.
 *
 * The metadata comes first, the records after it. So the records hold everything that was acknowledged when the backup
 * began, and everything that a window of the ledger may still have to export: a window that was begun is written again
 * with the same bytes under the same name. What the service exported after its metadata was copied is exported again.
 *
 * The manifest is written last and names every file with its checksum: without it a directory is no backup.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Log, makeLog, systemClock, toRfc3339 } from './base/index.ts'
import type { Config } from './config.ts'
import { copySqlite } from './db/index.ts'
import { startEngine } from './engine/index.ts'
import { lockDataDirectory, StartupError } from './house-lock.ts'
import { attachTable, connectToEngine, freezeTables, type RecordStore, recordsIn } from './logs/index.ts'
import { version } from './version.ts'

export { StartupError } from './house-lock.ts'

/** What a backup holds, in the order it was taken. */
type Manifest = {
  readonly format: 1
  readonly version: string
  readonly made_at: string
  readonly tables: readonly { readonly name: string; readonly create: string; readonly records: number }[]
  readonly files: readonly CopiedFile[]
}

type CopiedFile = { readonly path: string; readonly bytes: number; readonly sha256: string }

export type BackupReport = {
  readonly directory: string
  readonly files: number
  readonly bytes: number
  readonly records: number
  /** Where the key is that the secrets of destinations are sealed with. */
  readonly key: 'in the backup' | 'in SPILLWAY_SECRET_KEY'
}

const manifestFile = 'manifest.json'
const databaseFile = 'spillway.db'
/** Small files of the data directory that go along, where they are. */
const keptFiles = ['secret.key', 'first-run.json']

export async function backUp(config: Config, directory: string): Promise<BackupReport> {
  mustBeEmbedded(config)
  const data = resolve(config.data)
  if (!existsSync(join(data, databaseFile))) throw new StartupError(`there is no data of Spillway in ${data}`)
  const into = resolve(directory)
  if ((await namesIn(into)).length > 0)
    throw new StartupError(`${into} is not empty; a backup takes a directory of its own`)
  await mkdir(into, { recursive: true, mode: 0o700 })
  const engineDirectory = join(data, 'records')
  // Letters and digits only: the engine writes anything else as %2D and the like in its paths.
  const label = `backup${randomBytes(8).toString('hex')}`
  const { store, close } = await openStore(data, engineDirectory)
  try {
    await copySqlite(join(data, databaseFile), join(into, databaseFile))
    const files = [await describe(into, databaseFile)]
    const tables: Manifest['tables'][number][] = []
    for (const { name, create, parts } of await freezeTables({ store }, engineDirectory, label)) {
      if (parts) files.push(...(await copyTree(parts, into, join('records', name))))
      tables.push({ name, create, records: parts ? await recordsIn(parts) : 0 })
    }
    for (const name of keptFiles) if (existsSync(join(data, name))) files.push(await copy(join(data, name), into, name))
    const manifest: Manifest = { format: 1, version, made_at: toRfc3339(systemClock()), tables, files }
    await writeFile(join(into, manifestFile), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true })
    return { directory: into, ...summaryOf(manifest) }
  } finally {
    await close()
    await rm(join(engineDirectory, 'store', 'shadow', label), { recursive: true, force: true })
  }
}

/** Into a data directory that is not there or empty; it appears whole or not at all. */
export async function restore(config: Config, directory: string): Promise<BackupReport> {
  mustBeEmbedded(config)
  const from = resolve(directory)
  const data = resolve(config.data)
  if ((await namesIn(data)).length > 0)
    throw new StartupError(`${data} is not empty; set SPILLWAY_DATA to a new directory, nothing is ever overwritten`)
  const manifest = await readManifest(from)
  for (const file of manifest.files) await verify(from, file)
  const making = `${data}.restoring-${randomBytes(4).toString('hex')}`
  await mkdir(making, { recursive: true, mode: 0o700 })
  try {
    for (const { path } of manifest.files) if (!path.startsWith('records/')) await copy(join(from, path), making, path)
    await restoreRecords(from, making, manifest)
    if (existsSync(data)) await rmdir(data)
    await rename(making, data)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    throw error
  }
  return { directory: data, ...summaryOf(manifest) }
}

async function restoreRecords(from: string, making: string, { tables }: Manifest): Promise<void> {
  const engine = await startEngine({ log: quiet() }, { directory: join(making, 'records') })
  const store = connectToEngine(engine)
  try {
    for (const table of tables) {
      const parts = join(from, 'records', table.name)
      const attached = await attachTable({ store }, table, async (detached) => {
        if (existsSync(parts)) await copyTree(parts, detached, '')
      })
      if (attached !== table.records)
        throw new StartupError(
          `${table.name} has ${attached} records after the restore, and had ${table.records} before`,
        )
    }
  } finally {
    await store.close()
    await engine.close()
  }
}

const summaryOf = ({ files, tables }: Manifest): Omit<BackupReport, 'directory'> => ({
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  records: tables.filter(({ name }) => name.startsWith('records_')).reduce((sum, { records }) => sum + records, 0),
  key: files.some(({ path }) => path === 'secret.key') ? 'in the backup' : 'in SPILLWAY_SECRET_KEY',
})

function mustBeEmbedded({ databaseUrl, clickhouseUrl }: Config): void {
  if (databaseUrl || clickhouseUrl)
    throw new StartupError(
      'metadata or records are not in the data directory: back up PostgreSQL and ClickHouse with their own tools (docs/operate/backup.md)',
    )
}

/** The engine of the service that runs on this directory, or one of our own when none does. */
async function openStore(data: string, directory: string): Promise<{ store: RecordStore; close(): Promise<void> }> {
  const lock = takeLock(data)
  if (lock) {
    const engine = await startEngine({ log: quiet() }, { directory })
    const store = connectToEngine(engine)
    const close = async () => {
      await store.close()
      await engine.close()
      lock.release()
    }
    return { store, close }
  }
  const socketPath = join(directory, 'engine.sock')
  if (!existsSync(socketPath))
    throw new StartupError(
      `the engine of the running service has no socket at ${socketPath}; stop the service and try again`,
    )
  const store = connectToEngine({
    address: { socketPath },
    spool: join(directory, 'tmp'),
    pid: () => undefined,
    isReady: () => true,
    ready: async () => {},
    restart: async () => {},
    close: async () => {},
  })
  return { store, close: store.close }
}

function takeLock(data: string): { release(): void } | undefined {
  try {
    return lockDataDirectory(data)
  } catch (error) {
    if (error instanceof StartupError && error.message.startsWith('another process')) return undefined
    throw error
  }
}

const quiet = (): Log => makeLog('silent')

async function readManifest(from: string): Promise<Manifest> {
  const text = await readFile(join(from, manifestFile), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new StartupError(`${from} has no ${manifestFile}: it is no backup, or one that was not finished`)
  const manifest = readJson(text) as Manifest | undefined
  if (manifest?.format !== 1)
    throw new StartupError(`${join(from, manifestFile)} is not of a form that Spillway ${version} understands`)
  const outside = manifest.files.find(({ path }) => /^\/|(^|\/)\.\.?(\/|$)/.test(path))
  if (outside) throw new StartupError(`${join(from, manifestFile)} names a file outside of the backup: ${outside.path}`)
  return manifest
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function verify(from: string, file: CopiedFile): Promise<void> {
  const found = await describe(from, file.path).catch(() => undefined)
  if (!found) throw new StartupError(`${join(from, file.path)} is missing from the backup`)
  if (found.sha256 !== file.sha256)
    throw new StartupError(`${join(from, file.path)} is not what was backed up: its checksum differs`)
}

const namesIn = (directory: string): Promise<readonly string[]> =>
  readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new StartupError(`${directory} cannot be used (${error.code})`)
  })

async function copyTree(tree: string, into: string, below: string): Promise<CopiedFile[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true })
  const copied: CopiedFile[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name)
    copied.push(await copy(file, into, join(below, relative(tree, file))))
  }
  return copied
}

async function copy(file: string, into: string, path: string): Promise<CopiedFile> {
  const target = join(into, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const sums = summing()
  await pipeline(createReadStream(file), sums.pass, createWriteStream(target, { mode: 0o600, flush: true }))
  return { path, ...sums.sums() }
}

async function describe(directory: string, path: string): Promise<CopiedFile> {
  const sums = summing()
  for await (const _ of sums.pass(createReadStream(join(directory, path))));
  return { path, ...sums.sums() }
}

function summing() {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async *pass(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    sums: () => ({ bytes, sha256: hash.digest('hex') }),
  }
}
