/** Services that share one PostgreSQL and one record store: some in the test itself, one in a process of its own. */
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeLog } from '../src/base/index.ts'
import type { ProcessRole } from '../src/config.ts'
import { type Client, makeClient } from '../src/contract/index.ts'
import { startEngine } from '../src/engine/index.ts'
import { type House, startHouse } from './house.ts'
import { freePort, freshPostgres } from './postgres.ts'
import { serve, untilReady } from './serve.ts'

export type Cluster = {
  /** With the role `api`, in the test itself. */
  readonly house: House
  /** With the role `api` too, in a process of its own; its client is the super administrator. */
  readonly process: { readonly url: string; readonly client: Client }
  /** Houses with one other role each. */
  readonly roles: Readonly<Partial<Record<ProcessRole, House>>>
  readonly databaseUrl: string
  stop(): Promise<void>
}

export async function startCluster(
  roles: readonly ProcessRole[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-cluster-'))
  const password = randomBytes(12).toString('hex')
  const [postgres, engine] = await Promise.all([
    freshPostgres(),
    startEngine(
      { log: makeLog('silent') },
      { directory: join(directory, 'engine'), listen: { host: '127.0.0.1', port: 0, user: 'spillway', password } },
    ),
  ])
  const shared = {
    SPILLWAY_CLICKHOUSE_URL: 'url' in engine.address ? engine.address.url : '',
    SPILLWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    ...environment,
  }
  const house = await startHouse({
    databaseUrl: postgres.url,
    environment: { ...shared, SPILLWAY_ROLES: 'api' } as never,
  })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = serve({
    ...shared,
    SPILLWAY_ROLES: 'api',
    SPILLWAY_DATABASE_URL: postgres.url,
    SPILLWAY_DATA: join(directory, 'process'),
    SPILLWAY_PORT: String(port),
    SPILLWAY_LOG_LEVEL: 'warn',
  })
  const houses: [ProcessRole, House][] = []
  for (const role of roles) {
    const data = join(directory, role)
    await mkdir(data)
    // Only the first on a database is told its tenant.
    await copyFile(join(house.data, 'first-run.json'), join(data, 'first-run.json'))
    houses.push([
      role,
      await startHouse({
        data,
        databaseUrl: postgres.url,
        environment: { ...shared, SPILLWAY_ROLES: role } as never,
      }),
    ])
  }
  await untilReady(url, 60_000)
  return {
    house,
    process: { url, client: makeClient({ baseUrl: `${url}/v4`, credential: house.credential }) },
    roles: Object.fromEntries(houses),
    databaseUrl: postgres.url,
    async stop() {
      await child.kill()
      for (const [, each] of houses) await each.stop()
      await house.stop()
      await engine.close()
      await postgres.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
