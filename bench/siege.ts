/**
 * The siege: a service is killed with -9 again and again, in whatever it is doing, while writers send records and ten
 * jobs carry them to endpoints that fail, hang, answer 503, break off and come back. When it is over and every job has
 * caught up, every acknowledged record is in every object store exactly once and in every HTTP destination at least once.
 *
 *     npm run siege -- --kills 200 --seed 1
 *     npm run siege -- --cluster --kills 60      three processes on one PostgreSQL and one record store: siege-cluster.ts
 *
 * On two cores shared with other work, seed 1: see the figures in docs/decisions/0017-effectively-once.md.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Client, logexport, logs, makeClient } from '../src/contract/index.ts'
import { makeRandom, type Random } from '../src/datasets/random.ts'
import type { Mood } from '../test/endpoints/chaos.ts'
import { freePort } from '../test/postgres.ts'
import { type FirstRun, firstRunOf, type Serving, serve, untilReady } from '../test/serve.ts'
import { faultsOf, judgePlaces, type SiegeReport, tellSiege } from './siege-judge.ts'
import { type SiegePlace, type SiegePlaces, startSiegePlaces } from './siege-places.ts'

export type SiegeOptions = {
  readonly kills: number
  readonly seed: number
  /** A life of the service once it is ready; one in five counts from its start, and may end before it listens. */
  readonly lifeMs: readonly [least: number, most: number]
  readonly writers: number
  readonly linesPerBatch: number
  /** After the last kill, until every job must have caught up. */
  readonly catchUpMs: number
  readonly say: (line: string) => void
}

export async function siege(options: SiegeOptions): Promise<SiegeReport> {
  const random = makeRandom(options.seed)
  const data = await mkdtemp(join(tmpdir(), 'spillway-siege-data-'))
  const started = await startSiegePlaces()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    SPILLWAY_PORT: String(port),
    SPILLWAY_DATA: data,
    SPILLWAY_RATE_LIMIT: '1000000000',
    SPILLWAY_LOG_LEVEL: 'warn',
    SPILLWAY_EXPORT_INTERVAL_SECONDS: '1',
    ...started.environment,
  }
  let service = serve(environment)
  try {
    await untilReady(url)
    const first = await firstRunOf(data)
    const client = makeClient({ baseUrl: `${url}/v4`, credential: first })
    const jobs = await makeJobs(client, first, started.places)

    const over = new AbortController()
    const writers = startWriters(client, first, options, over.signal)
    const chaos = spoil(started, random, over.signal)
    const engineKills = await killAgainAndAgain(options, random, {
      ready: () => untilReady(url),
      current: () => service,
      restart: () => {
        service = serve(environment)
      },
    })
    over.abort()
    await chaos
    await untilReady(url)
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
    await service.kill('SIGTERM')
    const leftInSpool = (await readdir(join(data, 'spool')).catch(() => [])).length
    return { acknowledged, kills: options.kills, engineKills, repeats, caughtUpMs, leftInSpool, places }
  } catch (error) {
    options.say(service.said())
    throw error
  } finally {
    await service.kill()
    await started.stop()
    await rm(data, { recursive: true, force: true })
  }
}

export async function makeJobs(client: Client, first: FirstRun, places: readonly SiegePlace[]): Promise<number[]> {
  const scope = { zone: first.zone_id }
  const ids: number[] = []
  for (const { conf, fields, token } of places) {
    const body = { destination_conf: conf }
    const { filename, message } = await client.call(logexport.issueChallenge, { scope, body })
    if (message) throw new Error(message)
    const ownership_challenge = await token(filename)
    const job = { ...body, ...fields, ownership_challenge, enabled: true }
    ids.push((await client.call(logexport.createJob, { scope, body: job })).id)
  }
  return ids
}

/** Each writer sends batch after batch, each until it is acknowledged, under a key of its own. */
export async function startWriters(
  client: Client,
  first: Pick<FirstRun, 'zone_id'>,
  { writers, linesPerBatch }: SiegeOptions,
  over: AbortSignal,
): Promise<{ acknowledged: number; repeats: number }> {
  let next = 0
  let acknowledged = 0
  let repeats = 0
  const write = async () => {
    while (!over.aborted) {
      const from = next
      next += linesPerBatch
      const body = Buffer.from(Array.from({ length: linesPerBatch }, (_, at) => `${line(from + at)}\n`).join(''))
      for (let tried = 0; ; tried += 1) {
        const answer = await client
          .call(logs.ingest, {
            scope: { zone: first.zone_id },
            params: { dataset: 'http_requests' },
            headers: { 'idempotency-key': `batch-${from}` },
            body,
            signal: AbortSignal.timeout(20_000),
          })
          .catch(() => undefined)
        if (answer?.accepted === linesPerBatch) break
        if (tried === 0) repeats += 1
        await wait(50)
      }
      acknowledged += linesPerBatch
      await wait(25)
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return { acknowledged, repeats }
}

const line = (number: number): string =>
  JSON.stringify({
    RayID: `r${String(number).padStart(10, '0')}`,
    ClientIP: `192.0.2.${number % 256}`,
    EdgeStartTimestamp: 1_790_000_000_000_000_000 + number * 1_000_000,
  })

/** Every endpoint changes its mood on its own, and is well less than half of the time. */
export async function spoil({ places, receivers }: SiegePlaces, random: Random, over: AbortSignal): Promise<void> {
  const moods: readonly Mood[] = ['well', 'well', 'well', 'refuse', 'hang', 'cut', 'deaf']
  const rest = (ms: number) => wait(ms, undefined, { signal: over }).catch(() => undefined)
  const moody = places.map(async ({ chaos, isPlain }) => {
    while (chaos && !over.aborted) {
      chaos.mood = random.pick(isPlain ? [...moods, 'busy'] : moods)
      await rest(100 + random.below(900))
    }
    if (chaos) chaos.mood = 'well'
  })
  const rude = async () => {
    while (!over.aborted) {
      const receiver = random.pick(receivers)
      receiver.behave()
      receiver.misbehave(random.pick([{ status: 503 }, { status: 429 }, { status: 400 }, 'reset']))
      await rest(100 + random.below(400))
    }
    for (const receiver of receivers) receiver.behave()
  }
  await Promise.all([...moody, rude()])
}

/** One life in eight loses its engine child first. */
async function killAgainAndAgain(
  { kills, lifeMs: [least, most], say }: SiegeOptions,
  random: Random,
  { ready, current, restart }: { ready(): Promise<void>; current(): Serving; restart(): void },
): Promise<number> {
  let engineKills = 0
  for (let kill = 1; kill <= kills; kill += 1) {
    if (!random.isOneIn(5)) await ready()
    const life = least + random.below(most - least)
    const engineAt = random.isOneIn(8) ? random.below(life) : undefined
    if (engineAt !== undefined) {
      await wait(engineAt)
      const engine = current().enginePid()
      if (engine !== undefined) {
        process.kill(engine, 'SIGKILL')
        engineKills += 1
      }
    }
    await wait(life - (engineAt ?? 0))
    await current().kill()
    restart()
    if (kill % 10 === 0) say(`${kill} kills`)
  }
  return engineKills
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      cluster: { type: 'boolean', default: false },
    },
  })
  const usual = {
    kills: Number(values.kills),
    seed: Number(values.seed),
    lifeMs: [50, 2_000],
    writers: 3,
    linesPerBatch: 40,
    catchUpMs: 180_000,
    say: (line: string) => console.log(line),
  } as const
  const { clusterSiege } = await import('./siege-cluster.ts')
  const report = values.cluster ? await clusterSiege({ ...usual, restarts: 2, killsIngest: true }) : await siege(usual)
  console.log(tellSiege(report))
  const faults = faultsOf(report)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}

// Not awaited here: the cluster form imports this file, and would wait for it to be read to its end.
if (import.meta.main) void main()
