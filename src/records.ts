/** Opens the record store: the embedded engine in the data directory, or a ClickHouse by URL; then its tables and stamps. */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, type Log, type Nanos, problems } from './base/index.ts'
import type { Config } from './config.ts'
import type { DatasetRegistry } from './datasets/index.ts'
import { startEngine } from './engine/index.ts'
import { StartupError } from './house-lock.ts'
import type { PublishedFloors } from './jobs/index.ts'
import {
  connectByUrl,
  connectToEngine,
  type LogNeeds,
  makeIngest,
  makeTables,
  makeWatermark,
  newestStamp,
  type RecordStore,
  type Watermark,
} from './logs/index.ts'

export type Records = LogNeeds & { isReady(): boolean; close(): Promise<void> }

export type RecordsNeeds = {
  readonly config: Config
  readonly data: string
  readonly log: Log
  readonly now: Clock
  readonly datasets: DatasetRegistry
  /** The end of the newest window that was ever exported. */
  readonly exportedUpTo: Nanos
  /** Where several processes take records into one store, each says here what it has settled. */
  readonly floors?: PublishedFloors
}

/**
 * How long the others wait for a process that died. It may have stamped an insert for half of this after it published
 * last, and the insert may run for a minute: only then is it certain that nothing with an old stamp appears any more.
 */
const floorLeaseSeconds = 120

export async function openRecords(needs: RecordsNeeds): Promise<Records> {
  const { config, data, log, now, datasets, exportedUpTo, floors } = needs
  const { store, isReady, close } = config.clickhouseUrl
    ? byUrl(config, config.clickhouseUrl)
    : await embedded(config, data, log)
  try {
    await makeTables(store, datasets.all, { cluster: config.clickhouseUrl && config.clickhouseCluster })
    const newest = await newestStamp({ store, datasets })
    // A clock that was set back while we were away must not stamp records into windows that were already exported.
    const atLeast = newest > exportedUpTo ? newest : exportedUpTo
    const watermark = makeWatermark(now, {
      atLeast,
      ...(floors ? { floors, leaseSeconds: floorLeaseSeconds } : {}),
    })
    const exchange = floors ? await keepExchanging(watermark, floors, log) : undefined
    const spool = join(data, 'spool')
    // What a crash left in the spool is made again from the ledger.
    await rm(spool, { recursive: true, force: true })
    const stamping = stampsRecords(config) ? watermark : readOnly(watermark)
    const ingest = makeIngest({ store, watermark: stamping, log })
    return {
      store,
      datasets,
      now,
      watermark: stamping,
      ingest,
      spool,
      log,
      isReady,
      async close() {
        await exchange?.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Records that are sent in, and the events of decisions: whoever answers for an edge writes those itself. */
export const stampsRecords = ({ roles }: Pick<Config, 'roles'>): boolean =>
  roles.includes('ingest') || roles.includes('api')

/** A process that writes no records promises no floor, so it must not stamp any. */
const readOnly = (watermark: Watermark): Watermark => ({
  ...watermark,
  stamp() {
    throw problems.unavailable('This process takes no records; send them to one that does')
  },
})

/** About once a second, from before the first question to after the last. */
async function keepExchanging(
  watermark: Watermark,
  floors: PublishedFloors,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController()
  await watermark.exchange()
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await wait(1000, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      await watermark.exchange().catch((error) => log.warn({ err: error }, 'publishing the floor failed'))
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await loop
      await floors.withdraw().catch((error) => log.warn({ err: error }, 'withdrawing the floor failed'))
    },
  }
}

type Opened = { readonly store: RecordStore; isReady(): boolean; close(): Promise<void> }

function byUrl({ clickhouseCaFile, clickhouseCluster }: Config, url: string): Opened {
  const authority = clickhouseCaFile && readAuthority(clickhouseCaFile)
  const store = connectByUrl(url, { authority, cluster: clickhouseCluster })
  return { store, isReady: () => true, close: store.close }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(`SPILLWAY_CLICKHOUSE_CA_FILE ${file} cannot be read (${code})`)
  }
}

async function embedded(config: Config, data: string, log: Log): Promise<Opened> {
  const engine = await startEngine(
    { log },
    { directory: join(data, 'records'), maxMemoryBytes: config.engineMemoryBytes },
  )
  const store = connectToEngine(engine)
  return {
    store,
    isReady: engine.isReady,
    async close() {
      await store.close()
      await engine.close()
    },
  }
}
