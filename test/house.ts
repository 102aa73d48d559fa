/** A whole service for a test: real database, real HTTP, a port and a data directory of its own, and a client inside. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Log, makeLog, type Nanos, systemClock } from '../src/base/index.ts'
import { readConfig, type settings } from '../src/config.ts'
import { type Client, type Credential, makeClient, type ScopeRef } from '../src/contract/index.ts'
import type { OutsideSettings } from '../src/outside.ts'
import { openService, type Service } from '../src/service.ts'
import { freshPostgres } from './postgres.ts'
import { watchSecrets } from './secrets-scan.ts'

type SettingName = (typeof settings)[keyof typeof settings]['name']

export type HouseSettings = {
  readonly environment?: Partial<Record<SettingName, string>>
  readonly database?: 'sqlite' | 'postgres'
  /** Keep an existing directory; it is not removed at the end. */
  readonly data?: string
  readonly databaseUrl?: string
  /** The outside network as the test arranged it. */
  readonly network?: OutsideSettings
}

export type House = {
  readonly service: Service
  readonly baseUrl: string
  readonly data: string
  readonly account: string
  readonly zone: string
  readonly zoneScope: { readonly zone: string }
  readonly accountScope: { readonly account: string }
  readonly credential: { readonly email: string; readonly key: string }
  /** Acts as the super administrator. */
  readonly client: Client
  as(credential: Credential): Client
  /** Every log line so far. */
  readonly logLines: readonly string[]
  /** Moves the clock of the service on, or back. */
  tick(nanos: Nanos): void
  /** Takes the PostgreSQL database away from under the running service. */
  loseDatabase(): Promise<void>
  stop(): Promise<void>
}

/** Houses that stand; one that still does ten seconds after the last test of its file fails the file, instead of hanging. */
const standing = new Set<string>()
if (process.env.NODE_TEST_CONTEXT) {
  after(() => {
    const late = () => {
      process.stderr.write(
        `still running after the last test; houses not stopped: ${[...standing].join(', ') || 'none'}\n`,
      )
      process.exit(1)
    }
    setTimeout(late, 10_000).unref()
  })
}

export async function startHouse(asked: HouseSettings = {}): Promise<House> {
  const data = asked.data ?? (await mkdtemp(join(tmpdir(), 'spillway-')))
  const postgres = asked.database === 'postgres' ? await freshPostgres() : undefined
  const logLines: string[] = []
  const log: Log = makeLog('info', { write: (line) => void logLines.push(line) })
  let shift = 0n
  const config = readConfig({
    SPILLWAY_PORT: '0',
    SPILLWAY_DATA: data,
    SPILLWAY_RATE_LIMIT: '1000000',
    ...(postgres ? { SPILLWAY_DATABASE_URL: postgres.url } : {}),
    ...(asked.databaseUrl ? { SPILLWAY_DATABASE_URL: asked.databaseUrl } : {}),
    ...asked.environment,
  })
  if (!config.ok) throw new Error(config.reasons.map((reason) => reason.message).join('; '))
  const service = await openService(config.value, {
    now: () => systemClock() + shift,
    log,
    ...(asked.network ? { network: asked.network } : {}),
  })
  standing.add(service.url)
  const baseUrl = `${service.url}/v4`
  const first = service.firstRun ?? JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8'))
  const credential = { email: first.email, key: first.key }
  const secrets = watchSecrets()
  const as = (who: Credential) => {
    secrets.remember('key' in who ? who.key : who.token)
    return makeClient({ baseUrl, credential: who, fetch: secrets.fetch })
  }
  return {
    service,
    baseUrl,
    data,
    account: first.account_id,
    zone: first.zone_id,
    zoneScope: { zone: first.zone_id } satisfies ScopeRef,
    accountScope: { account: first.account_id } satisfies ScopeRef,
    credential,
    client: as(credential),
    as,
    logLines,
    tick: (nanos) => {
      shift += nanos
    },
    loseDatabase: async () => postgres?.drop(),
    async stop() {
      await service.close()
      standing.delete(service.url)
      try {
        await secrets.search({ logLines, data, databaseUrl: postgres?.url })
      } finally {
        await postgres?.drop()
        if (!asked.data) await rm(data, { recursive: true, force: true })
      }
    },
  }
}
