/** The front door: builds what every room needs, once, and joins the rooms. Opened by `spillway serve` and by the tests. */

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { type FirstRun, makeFirstTenant, makeRecall, theService } from './access/index.ts'
import {
  type Clock,
  type Log,
  type Metrics,
  makeLog,
  makeMetrics,
  makeShares,
  makeVault,
  sayReasons,
  systemClock,
  toDate,
} from './base/index.ts'
import type { Config } from './config.ts'
import { type DatasetRegistry, judgeDatasetFiles } from './datasets/index.ts'
import { answers, migrate, NewerDatabase, openBus, openDatabase } from './db/index.ts'
import { type DemoNeeds, demoScope, makeDemoJob, startTrickle } from './demo.ts'
import { openEdge } from './edge/index.ts'
import { startExporter, startHousekeeping } from './exporter/index.ts'
import { lockDataDirectory, StartupError } from './house-lock.ts'
import { makeServer, makeTrust } from './http/index.ts'
import { dropLeases, type JobNeeds, makeFloors, makeRollCall, newestWindowEnd, type TurnNeeds } from './jobs/index.ts'
import { makeKnownJobs } from './known-jobs.ts'
import type { LogNeeds } from './logs/index.ts'
import { type OpenOutside, type OutsideSettings, openOutside } from './outside.ts'
import { openRecords, stampsRecords } from './records.ts'
import { provideCommonProtection } from './rulesets/index.ts'
import { version } from './version.ts'

export type Service = {
  /** Where it listens, without a path. */
  readonly url: string
  /** Only after the first start on an empty database. */
  readonly firstRun: (FirstRun & { readonly base_url: string }) | undefined
  /** Where the demo's objects appear, while it runs. */
  readonly demo: string | undefined
  close(): Promise<void>
}

/** What tests may replace: the clock, where log lines go, and the outside network. Nothing of our own is ever faked. */
export type Surroundings = { readonly now?: Clock; readonly log?: Log; readonly network?: OutsideSettings }

export { StartupError } from './house-lock.ts'

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
      throw migrationError(error, config)
    })
    const access = { db, now, recall: makeRecall({ now, writes: database.writes }) }
    const datasets = openDatasets(config)
    const outside = openWorld(config, surroundings)
    closers.push(outside.close)
    const guess = `http://${config.host}:${config.port}/v4`
    const tenant = await makeFirstTenant(access, (made) => writeFirstRun(data, { base_url: guess, ...made }))
    await provideCommonProtection(access, theService)

    const exportedUpTo = await newestWindowEnd({ db })
    const holder = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`
    const isCluster = config.databaseUrl !== undefined && config.clickhouseUrl !== undefined
    const floors = isCluster ? makeFloors({ db }, holder, stampsRecords(config)) : undefined
    const logs = await openRecords({ config, data, log, now, datasets, exportedUpTo, ...(floors ? { floors } : {}) })
    closers.push(logs.close)
    const jobs: JobNeeds = {
      db,
      now,
      vault,
      datasets,
      outside: outside.within,
      ownership: config.ownership,
      maxJobs: config.maxJobs,
    }
    const exporter = config.roles.includes('export')
      ? await openExporter(config, { db, now, vault, datasets, log, metrics, logs, outside: outside.within, holder })
      : undefined
    if (exporter) closers.push(exporter.close)
    const bus = config.databaseUrl ? openBus({ url: config.databaseUrl, log, holder }) : undefined
    if (bus) closers.push(bus.close)
    const shares = bus && makeShares(bus)
    if (shares) closers.push(shares.close)
    const edge = openEdge({ db, now, log, metrics, logs, shares })
    closers.push(edge.close)

    const { app } = makeServer({
      access,
      jobs,
      logs,
      ingestLimits: { compressedBytes: config.ingestMaxBytes, bytes: config.ingestMaxInflatedBytes },
      fetchLimits: {
        minAgeSeconds: config.fetchMinAgeSeconds,
        maxRangeSeconds: config.fetchMaxRangeSeconds,
        retentionDays: config.retentionDays,
      },
      rulesets: { db, now },
      edge,
      trust: makeTrust(config.trustedProxies, config.edgeFactsHeader),
      log,
      metrics,
      now,
      version,
      roles: config.roles,
      rateLimit: { requests: config.rateLimit, seconds: 300 },
      shares,
      requestSeconds: config.requestSeconds,
      // Ids and seconds only: whoever asks for readiness shows no credentials.
      behind: () => (exporter?.behind() ?? []).slice(0, 10).map(({ job, seconds }) => ({ job, seconds })),
      readiness: async () => ({
        ...((await answers(db)) ? {} : { database: 'does not answer' }),
        ...(logs.isReady() ? {} : { records: 'the engine is starting' }),
        ...(exporter?.trouble() === undefined ? {} : { export: exporter.trouble() }),
      }),
    })
    closers.push(() => closeServer(app))
    const url = await app.listen({ host: config.host, port: config.port }).catch((error) => {
      throw listenError(error, config)
    })
    const demo = await openDemo(config, { jobs, logs, log }, tenant)
    if (demo) closers.push(demo.stop)
    metrics.watchProcess()
    metrics.watchDisk(data)
    metrics.info.set({ version, roles: config.roles.join(',') }, 1)
    const firstRun = tenant && { base_url: `${url}/v4`, ...tenant }
    if (firstRun) writeFirstRun(data, firstRun)
    log.info({ url, version }, 'listening')
    return { url, firstRun, demo: demo?.directory, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Only where it was asked for: made with the first tenant, and kept going while its job is there. */
async function openDemo(config: Config, needs: Omit<DemoNeeds, 'fileRoot'>, tenant: FirstRun | undefined) {
  if (!config.demo) return undefined
  if (config.fileRoot === undefined) {
    needs.log.warn('there is no demo: SPILLWAY_DEMO needs SPILLWAY_FILE_ROOT, where its objects would be')
    return undefined
  }
  const fileRoot = resolve(config.fileRoot)
  const zone = tenant ? { kind: 'zone' as const, id: tenant.zone_id, account: tenant.account_id } : undefined
  if (zone) await makeDemoJob({ ...needs, fileRoot }, zone)
  const scope = zone ?? (await demoScope(needs.jobs))
  if (!scope) return undefined
  return { directory: join(fileRoot, 'demo'), ...startTrickle({ ...needs, fileRoot }, scope) }
}

type ExportNeeds = Pick<JobNeeds, 'db' | 'now' | 'vault' | 'datasets'> & {
  readonly log: Log
  readonly metrics: Metrics
  readonly logs: LogNeeds
  readonly outside: OpenOutside['within']
  /** Unique to this process and start. */
  readonly holder: string
}

async function openExporter(config: Config, needs: ExportNeeds) {
  const { db, now, vault, datasets, log, metrics, logs, outside, holder } = needs
  const turns: TurnNeeds = {
    db,
    now,
    vault,
    datasets,
    intervalSeconds: config.exportIntervalSeconds,
    leaseSeconds: config.leaseSeconds,
    disableAfterHours: config.disableAfterHours,
  }
  // Alone on its database: whoever held a lease was this service, before it was killed.
  if (!config.databaseUrl) await dropLeases({ db })
  const rollCall = makeRollCall(db, makeKnownJobs(resolve(config.data), log))
  const shared = { turns, logs, log, metrics, rollCall }
  const exporter = startExporter({
    ...shared,
    outside,
    watermark: logs.watermark.read,
    deliveryMs: 120_000,
    holder,
    slots: config.exportSlots,
    tickMs: Math.min(1000, config.exportIntervalSeconds * 250),
  })
  const housekeeping = startHousekeeping({
    ...shared,
    retentionDays: config.retentionDays,
    diskBytes: config.diskCeilingBytes,
    everyMs: 60_000,
  })
  return {
    trouble: exporter.trouble,
    behind: exporter.behind,
    close: async () => {
      await Promise.all([exporter.stop(), housekeeping.stop()])
    },
  }
}

/** The shipped datasets and the operator's own; a bad file stops the start. */
export function openDatasets({ datasets: directory }: Config): DatasetRegistry {
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

export function openWorld(config: Config, { now, network }: Surroundings = {}): OpenOutside {
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
    return await migrate(database.db).catch((error) => {
      throw migrationError(error, config)
    })
  } finally {
    await database.close()
    lock?.release()
  }
}

function migrationError(error: Error & { cause?: unknown }, { databaseUrl }: Config): Error {
  if (error instanceof NewerDatabase) return new StartupError(error.message)
  const { message, cause } = error
  const why = cause instanceof Error && cause.message ? cause.message : message
  return databaseUrl ? new StartupError(`the database of SPILLWAY_DATABASE_URL does not answer: ${why}`) : error
}

/** Requests under way may finish; those that do not within ten seconds are cut. */
async function closeServer(app: ReturnType<typeof makeServer>['app']): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), 9_000)
  // A connection whose request has just finished would be kept alive, and waited for.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close()
  clearTimeout(cut)
  clearInterval(sweep)
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
