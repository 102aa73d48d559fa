/** Opens the record store: the embedded engine in the data directory, or a ClickHouse by URL; then its tables and stamps. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Log, Nanos } from './base/index.ts'
import type { Config } from './config.ts'
import type { DatasetRegistry } from './datasets/index.ts'
import { startEngine } from './engine/index.ts'
import {
  connectByUrl,
  connectToEngine,
  type LogNeeds,
  makeIngest,
  makeTables,
  makeWatermark,
  newestStamp,
  type RecordStore,
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
}

export async function openRecords({ config, data, log, now, datasets, exportedUpTo }: RecordsNeeds): Promise<Records> {
  const { store, isReady, close } = config.clickhouseUrl
    ? byUrl(config.clickhouseUrl)
    : await embedded(config, data, log)
  try {
    await makeTables(store.client, datasets.all)
    const newest = await newestStamp({ store, datasets })
    // A clock that was set back while we were away must not stamp records into windows that were already exported.
    const watermark = makeWatermark(now, { atLeast: newest > exportedUpTo ? newest : exportedUpTo })
    const spool = join(data, 'spool')
    // What a crash left in the spool is made again from the ledger.
    await rm(spool, { recursive: true, force: true })
    const ingest = makeIngest({ store, watermark, log })
    return { store, datasets, now, watermark, ingest, spool, log, isReady, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Opened = { readonly store: RecordStore; isReady(): boolean; close(): Promise<void> }

function byUrl(url: string): Opened {
  const store = connectByUrl(url)
  return { store, isReady: () => true, close: store.close }
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
