/** A record store for tests and benches: the embedded engine in a directory of its own, or a server when one is given. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, makeLog, type Scope, systemClock } from '../src/base/index.ts'
import { type Dataset, makeRegistry } from '../src/datasets/index.ts'
import { type Engine, type EngineOptions, startEngine } from '../src/engine/index.ts'
import {
  append,
  connectByUrl,
  connectToEngine,
  type LogNeeds,
  makeIngest,
  makeTables,
  makeWatermark,
  type RecordStore,
} from '../src/logs/index.ts'

export type TestStore = {
  readonly needs: LogNeeds
  /** Undefined when the store is a server. */
  readonly engine: Engine | undefined
  readonly directory: string
  close(): Promise<void>
}

export const aScope = (digit = '1'): Scope => ({ kind: 'zone', id: digit.repeat(32), account: 'a'.repeat(32) })

export async function openTestStore(
  extra: readonly Dataset[] = [],
  { now = systemClock, ...options }: Partial<EngineOptions> & { readonly now?: Clock } = {},
): Promise<TestStore> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'spillway-test-'))
  const registry = makeRegistry(extra)
  if (!registry.ok) throw new Error('the datasets of this test are unsound')
  const log = makeLog('silent')
  const address = process.env.SPILLWAY_TEST_CLICKHOUSE_URL
  const engine = address ? undefined : await startEngine({ log }, { ...options, directory: join(directory, 'engine') })
  const store = engine ? connectToEngine(engine) : await freshDatabase(address ?? '')
  await makeTables(store, registry.value.all)
  const watermark = makeWatermark(now)
  const some = { store, datasets: registry.value, now, watermark, spool: join(directory, 'spool'), log }
  return {
    needs: { ...some, ingest: makeIngest(some) },
    engine,
    directory,
    async close() {
      await store.close()
      await engine?.close()
      if (!options.directory) rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function freshDatabase(address: string): Promise<RecordStore> {
  const name = `spillway_test_${randomBytes(4).toString('hex')}`
  const server = connectByUrl(address)
  await server.client.command({ query: `CREATE DATABASE ${name}` })
  await server.close()
  const url = new URL(address)
  url.pathname = `/${name}`
  return connectByUrl(url.href)
}

export async function* bodyOf(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

/** Tries again while the store is away, as a client does. */
export async function appendPatiently(
  needs: LogNeeds,
  scope: Scope,
  dataset: Dataset,
  text: string,
  idempotencyKey: string,
): Promise<void> {
  for (;;) {
    try {
      await append(needs, scope, dataset, bodyOf(text), { idempotencyKey })
      return
    } catch (error) {
      if ((error as { refusal?: string }).refusal !== 'unavailable') throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

export const read = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
