/** The front door: builds what every room needs, once, and joins the rooms. Opened by `spillway serve` and by the tests. */

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type FirstRun, makeFirstTenant, theService } from './access/index.ts'
import { type Clock, type Log, makeLog, makeMetrics, makeVault, sayReasons, systemClock, toDate } from './base/index.ts'
import type { Config } from './config.ts'
import { type DatasetRegistry, judgeDatasetFiles } from './datasets/index.ts'
import { answers, migrate, openDatabase } from './db/index.ts'
import { lockDataDirectory, StartupError } from './house-lock.ts'
import { makeServer } from './http/index.ts'
import { type OpenOutside, type OutsideSettings, openOutside } from './outside.ts'
import { provideCommonProtection } from './rulesets/index.ts'

export type Service = {
  /** Where it listens, without a path. */
  readonly url: string
  /** Only after the first start on an empty database. */
  readonly firstRun: (FirstRun & { readonly base_url: string }) | undefined
  close(): Promise<void>
}

/** What tests may replace: the clock, where log lines go, and the outside network. Nothing of our own is ever faked. */
export type Surroundings = { readonly now?: Clock; readonly log?: Log; readonly network?: OutsideSettings }

export { StartupError } from './house-lock.ts'

export const version: string = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version

export async function openService(config: Config, surroundings: Surroundings = {}): Promise<Service> {
  const now = surroundings.now ?? systemClock
  const log = surroundings.log ?? makeLog(config.logLevel)
  const data = resolve(config.data)
  const closers: (() => Promise<unknown> | unknown)[] = []
  /** Last opened, first closed; a failure to close one thing does not keep the others open. */
  const closeAll = async () => {
    for (const close of closers.reverse().splice(0)) {
      await Promise.resolve(close()).catch((error) => log.error({ err: error }, 'closing failed'))
    }
  }

  try {
    const lock = lockDataDirectory(data)
    closers.push(lock.release)
    const vault = makeVault(config.secretKey ?? ownSecretKey(data))
    const metrics = makeMetrics()
    const database = openDatabase(config.databaseUrl ? { url: config.databaseUrl } : { directory: data })
    closers.push(database.close)
    const { db } = database
    await migrate(db).catch((error) => {
      throw config.databaseUrl
        ? new StartupError(`the database of SPILLWAY_DATABASE_URL does not answer: ${reason(error)}`)
        : error
    })
    const access = { db, now }
    const datasets = openDatasets(config)
    const outside = openWorld(config, surroundings)
    closers.push(outside.close)
    const guess = `http://${config.host}:${config.port}/v4`
    const tenant = await makeFirstTenant(access, (made) => writeFirstRun(data, { base_url: guess, ...made }))
    await provideCommonProtection(access, theService)

    const { app } = makeServer({
      access,
      jobs: {
        db,
        now,
        vault,
        datasets,
        outside: outside.within,
        ownership: config.ownership,
        maxJobs: config.maxJobs,
      },
      rulesets: { db, now },
      log,
      metrics,
      now,
      version,
      rateLimit: { requests: config.rateLimit, seconds: 300 },
      readiness: async () => ((await answers(db)) ? {} : { database: 'does not answer' }),
    })
    closers.push(() => closeServer(app))
    const url = await app.listen({ host: config.host, port: config.port }).catch((error) => {
      throw listenError(error, config)
    })
    metrics.watchProcess()
    const firstRun = tenant && { base_url: `${url}/v4`, ...tenant }
    if (firstRun) writeFirstRun(data, firstRun)
    log.info({ url, version }, 'listening')
    return { url, firstRun, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** The shipped datasets and the operator's own; a bad file stops the start. */
function openDatasets({ datasets: directory }: Config): DatasetRegistry {
  const files = directory === undefined ? [] : readDirectory(directory, 'SPILLWAY_DATASETS')
  const judged = judgeDatasetFiles(files)
  if (!judged.ok) throw new StartupError(sayReasons(judged.reasons))
  return judged.value
}

function readDirectory(directory: string, setting: string): { file: string; text: string }[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.json'))
    return names.sort().map((file) => ({ file, text: readFileSync(join(directory, file), 'utf8') }))
  } catch (error) {
    throw new StartupError(`${setting} ${directory} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function openWorld(config: Config, { now, network }: Surroundings): OpenOutside {
  const address = (url: string | undefined) => (url === undefined ? undefined : new URL(url))
  return openOutside({
    allowedNetworks: config.allowedNetworks,
    endpoints: {
      s3: address(config.s3Endpoint),
      gcs: address(config.gcsEndpoint),
      azure: address(config.azureEndpoint),
    },
    fileRoot: config.fileRoot === undefined ? undefined : resolve(config.fileRoot),
    certificates: config.caFile === undefined ? [] : [readCertificates(config.caFile)],
    ...(now ? { now: () => toDate(now()) } : {}),
    ...network,
  })
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartupError(`SPILLWAY_CA_FILE ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Only the migrations, for operators who run them apart from the service. */
export async function migrateOnly(config: Config): Promise<readonly string[]> {
  const lock = config.databaseUrl ? undefined : lockDataDirectory(resolve(config.data))
  const database = openDatabase(config.databaseUrl ? { url: config.databaseUrl } : { directory: resolve(config.data) })
  try {
    return await migrate(database.db)
  } finally {
    await database.close()
    lock?.release()
  }
}

const reason = (error: Error & { cause?: unknown }): string =>
  error.cause instanceof Error && error.cause.message ? error.cause.message : error.message

/** Requests under way may finish; those that do not within ten seconds are cut. */
async function closeServer(app: { close(): Promise<unknown>; server: { closeAllConnections(): void } }): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), 9_000)
  await app.close()
  clearTimeout(cut)
}

function listenError(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new StartupError(`port ${port} is in use on ${host}; set SPILLWAY_PORT to a free one`)
  if (error.code === 'EACCES')
    return new StartupError(`port ${port} may not be opened by this user; set SPILLWAY_PORT above 1023`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartupError(`SPILLWAY_HOST ${host} is no address of this machine`)
  return error
}

/** The key that seals secrets at rest, made at the first start. */
function ownSecretKey(data: string): Buffer {
  const file = join(data, 'secret.key')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (!existsSync(file))
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new StartupError(`${file} does not hold 32 bytes in base64; restore it from a backup`)
  return key
}

function writeFirstRun(data: string, firstRun: object): void {
  const file = join(data, 'first-run.json')
  writeFileSync(file, `${JSON.stringify(firstRun, null, 2)}\n`, { mode: 0o600, flush: true })
  chmodSync(file, 0o600)
}
