/**
 * The siege in cluster form: three processes share one PostgreSQL and one record store. One takes requests and records, two
 * export; each is killed with -9 at random while PostgreSQL is restarted under all of them and ten destinations fail.
 *
 * A process that took records and died is waited for by the others until it is certain that no insert of it can appear any
 * more, two minutes in all. So catching up takes that long after the last such kill, and less when none was killed.
 *
 * 60 kills, 2 restarts, seed 1, on two cores at a load of 6 to 12: 61,800 records acknowledged, 59 batches sent again, caught
 * up after 118 s, nothing lost, nothing doubled, no object unlike its receipt, no file left in a spool.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeLog } from '../src/base/index.ts'
import { makeClient } from '../src/contract/index.ts'
import { makeRandom } from '../src/datasets/random.ts'
import { startEngine } from '../src/engine/index.ts'
import { freePort, startPostgres } from '../test/postgres.ts'
import { firstRunOf, type Serving, serve, untilReady } from '../test/serve.ts'
import { makeJobs, type SiegeOptions, spoil, startWriters } from './siege.ts'
import { judgePlaces, type SiegeReport } from './siege-judge.ts'
import { startSiegePlaces } from './siege-places.ts'

export type ClusterSiegeOptions = SiegeOptions & {
  /** How often PostgreSQL is restarted, evenly among the kills. */
  readonly restarts: number
  /** Whether the process that takes records is killed too. */
  readonly killsIngest: boolean
}

type Member = { readonly url: string; readonly data: string; process: Serving; start(): Serving }

const memberRoles = ['api,ingest', 'export', 'export']

export async function clusterSiege(options: ClusterSiegeOptions): Promise<SiegeReport> {
  const random = makeRandom(options.seed)
  const directory = await mkdtemp(join(tmpdir(), 'spillway-siege-cluster-'))
  const listen = { host: '127.0.0.1', port: 0, user: 'spillway', password: randomBytes(12).toString('hex') }
  const [started, postgres, engine] = await Promise.all([
    startSiegePlaces(),
    startPostgres(),
    startEngine({ log: makeLog('silent') }, { directory: join(directory, 'engine'), listen }),
  ])
  const shared = {
    SPILLWAY_DATABASE_URL: postgres.url,
    SPILLWAY_CLICKHOUSE_URL: 'url' in engine.address ? engine.address.url : '',
    SPILLWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    SPILLWAY_LEASE_SECONDS: '5',
    SPILLWAY_RATE_LIMIT: '1000000000',
    SPILLWAY_LOG_LEVEL: 'warn',
    SPILLWAY_EXPORT_INTERVAL_SECONDS: '1',
    ...started.environment,
  }
  const members: Member[] = []
  try {
    for (const [number, roles] of memberRoles.entries()) {
      const port = await freePort()
      const data = join(directory, `member-${number}`)
      const own = { SPILLWAY_ROLES: roles, SPILLWAY_DATA: data, SPILLWAY_PORT: String(port) }
      const start = () => serve({ ...shared, ...own })
      const member = { url: `http://127.0.0.1:${port}`, data, start, process: start() }
      members.push(member)
      await untilReady(member.url, 60_000)
    }
    const [front] = members as [Member, ...Member[]]
    const first = await firstRunOf(front.data)
    const client = makeClient({ baseUrl: `${front.url}/v4`, credential: first })
    const jobs = await makeJobs(client, first, started.places)

    const over = new AbortController()
    const writers = startWriters(client, first, options, over.signal)
    const chaos = spoil(started, random, over.signal)
    await killMembers(options, random, members, postgres.restart)
    over.abort()
    await chaos
    for (const { url } of members) await untilReady(url, 60_000)
    const { acknowledged, repeats } = await writers
    options.say(`${acknowledged} records acknowledged, ${repeats} batches sent again; now the jobs catch up`)

    const { caughtUpMs, places } = await judgePlaces(
      client,
      first,
      jobs,
      started.places,
      acknowledged,
      options.catchUpMs,
    )
    await Promise.all(members.map((member) => member.process.kill('SIGTERM')))
    const spools = await Promise.all(members.map(({ data }) => readdir(join(data, 'spool')).catch(() => [])))
    const { kills, restarts } = options
    return {
      acknowledged,
      kills,
      engineKills: 0,
      restarts,
      repeats,
      caughtUpMs,
      leftInSpool: spools.flat().length,
      places,
    }
  } catch (error) {
    for (const member of members) options.say(member.process.said())
    throw error
  } finally {
    await Promise.all(members.map((member) => member.process.kill()))
    await engine.close()
    await Promise.all([started.stop(), postgres.stop()])
    await rm(directory, { recursive: true, force: true })
  }
}

async function killMembers(
  { kills, restarts, killsIngest, lifeMs: [least, most], say }: ClusterSiegeOptions,
  random: ReturnType<typeof makeRandom>,
  members: readonly Member[],
  restartDatabase: () => Promise<void>,
): Promise<void> {
  const mortal = killsIngest ? members : members.slice(1)
  for (let kill = 1; kill <= kills; kill += 1) {
    await wait(least + random.below(most - least))
    const member = random.pick(mortal)
    await member.process.kill()
    // One in three comes back to a database that is just restarting.
    if (restarts > 0 && kill % Math.ceil(kills / (restarts + 1)) === 0 && kill < kills) await restartDatabase()
    member.process = member.start()
    if (!random.isOneIn(5)) await untilReady(member.url, 60_000)
    if (kill % 10 === 0) say(`${kill} kills`)
  }
}
