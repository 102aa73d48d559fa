/** Two exporters, each a process of its own, on one PostgreSQL and one record store. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { makeLog } from '../src/base/index.ts'
import { logexport, logs } from '../src/contract/index.ts'
import { type Engine, startEngine } from '../src/engine/index.ts'
import { type Chaos, startChaos } from './endpoints/chaos.ts'
import { type Receiver, startReceiver, testAuthority } from './endpoints/index.ts'
import { eventually, rays, raysIn } from './journeys/export-house.ts'
import { type JobHouse, startJobHouse } from './journeys/job-house.ts'
import { freePort, freshPostgres } from './postgres.ts'
import { type Serving, serve, untilReady } from './serve.ts'

const leaseSeconds = 4
let postgres: Awaited<ReturnType<typeof freshPostgres>>
let database: pg.Client
let engine: Engine
let house: JobHouse
let receiver: Receiver
let chaos: Chaos
let directory: string
type Exporter = { readonly url: string; process: Serving; start(): Serving }
const exporters: Exporter[] = []

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-cluster-'))
  const password = randomBytes(12).toString('hex')
  ;[postgres, receiver, engine] = await Promise.all([
    freshPostgres(),
    startReceiver('https'),
    startEngine(
      { log: makeLog('silent') },
      { directory: join(directory, 'engine'), listen: { host: '127.0.0.1', port: 0, user: 'spillway', password } },
    ),
  ])
  chaos = await startChaos(receiver)
  database = new pg.Client({ connectionString: postgres.url })
  await database.connect()
  await writeFile(join(directory, 'authority.pem'), testAuthority().cert)
  const shared = {
    SPILLWAY_CLICKHOUSE_URL: 'url' in engine.address ? engine.address.url : '',
    SPILLWAY_SECRET_KEY: randomBytes(32).toString('base64'),
    SPILLWAY_EXPORT_INTERVAL_SECONDS: '1',
    SPILLWAY_LEASE_SECONDS: String(leaseSeconds),
    SPILLWAY_OWNERSHIP: 'storage',
    SPILLWAY_ALLOWED_NETWORKS: '127.0.0.0/8',
    SPILLWAY_CA_FILE: join(directory, 'authority.pem'),
  }
  house = await startJobHouse({
    databaseUrl: postgres.url,
    environment: { ...shared, SPILLWAY_ROLES: 'api,ingest' } as never,
  })
  for (const name of ['one', 'two']) {
    const port = await freePort()
    const start = () =>
      serve({
        ...shared,
        SPILLWAY_ROLES: 'export',
        SPILLWAY_DATABASE_URL: postgres.url,
        SPILLWAY_DATA: join(directory, name),
        SPILLWAY_FILE_ROOT: house.fileRoot,
        SPILLWAY_PORT: String(port),
        SPILLWAY_LOG_LEVEL: 'warn',
      })
    exporters.push({ url: `http://127.0.0.1:${port}`, process: start(), start })
  }
  await Promise.all(exporters.map(({ url }) => untilReady(url, 60_000)))
})

after(async () => {
  await Promise.all(exporters.map(({ process }) => process.kill()))
  await house.stop()
  await database.end()
  await engine.close()
  await chaos.stop()
  await Promise.all([receiver.stop(), postgres.drop()])
  await rm(directory, { recursive: true, force: true })
})

const send = (...sent: readonly string[]) =>
  house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(sent.map((RayID) => `${JSON.stringify({ RayID })}\n`).join('')),
  })

async function filed(directory: string): Promise<string[]> {
  const below = join(house.fileRoot, directory)
  const names = (await readdir(below, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.gz'))
  return (await Promise.all(names.sort().map(async (name) => raysIn(await readFile(join(below, name)))))).flat()
}

const delivered = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/spillway_deliveries_total\{kind="file",outcome="delivered"\} (\d+)/.exec(text)?.[1] ?? 0)
}

test('a window whose exporter is killed in the middle of it is taken over within the lease', async () => {
  chaos.mood = 'hang'
  const job = await house.client.call(logexport.createJob, {
    scope: house.zoneScope,
    body: {
      destination_conf: `https://127.0.0.1:${chaos.port}/in?header_Authorization=Bearer%20x`,
      enabled: true,
      logfetch_options: 'fields=RayID',
    },
  })
  await send('held')
  await eventually(async () => chaos.met.hang > 0)
  const { rows } = await database.query('select lease_holder from jobs where id = $1', [job.id])
  const holder = String(rows[0]?.lease_holder)
  const killed = exporters.find(({ process }) => holder.includes(`-${process.pid}-`)) ?? assert.fail(holder)
  const at = performance.now()
  await killed.process.kill('SIGKILL')
  chaos.mood = 'well'
  await eventually(async () => receiver.requests().some(({ text }) => text.includes('held')), 30_000)
  const seconds = (performance.now() - at) / 1000
  // The lease, a look at the queue every quarter of a second, and the delivery itself on a busy machine.
  assert.ok(seconds < leaseSeconds + 5, `${seconds} s`)
  killed.process = killed.start()
})

test('an exporter that stands still past its lease changes nothing when it goes on: another has finished its window', async () => {
  await Promise.all(exporters.map(({ url }) => untilReady(url, 60_000)))
  const { rows: jobs } = await database.query("select id from jobs where destination_kind = 'https'")
  const job = Number(jobs[0]?.id)
  const hung = chaos.met.hang
  chaos.mood = 'hang'
  await send('stopped')
  await eventually(async () => chaos.met.hang > hung)
  const { rows } = await database.query('select lease_holder from jobs where id = $1', [job])
  const stopped = exporters.find(({ process }) => String(rows[0]?.lease_holder).includes(`-${process.pid}-`))
  process.kill(stopped?.process.pid ?? assert.fail(), 'SIGSTOP')
  try {
    chaos.mood = 'well'
    await eventually(async () => receiver.requests().some(({ text }) => text.includes('stopped')), 60_000)
    const ledger = async () =>
      (
        await database.query(
          "select w.*, d.attempts as sent, d.outcome from windows w join deliveries d on d.window_id = w.id where w.job_id = $1 and w.state = 'done' order by w.id",
          [job],
        )
      ).rows
    const before = await eventually(async () => {
      const { rows: open } = await database.query("select 1 from windows where job_id = $1 and state = 'begun'", [job])
      return open.length === 0 && ledger()
    })
    process.kill(stopped?.process.pid ?? 0, 'SIGCONT')
    await untilReady(stopped?.url ?? '', 60_000)
    // By now its timers have fired, and whatever it had begun was called off or refused.
    await send('moving')
    await eventually(async () => receiver.requests().some(({ text }) => text.includes('moving')), 60_000)
    assert.deepEqual((await ledger()).slice(0, before.length), before)
  } finally {
    process.kill(stopped?.process.pid ?? 0, 'SIGCONT')
  }
})

test('a hundred jobs are shared, and no window is exported by both', async () => {
  await Promise.all(exporters.map(({ url }) => untilReady(url, 60_000)))
  for (let number = 0; number < 100; number += 1)
    await house.make(`file:///job-${number}`, { enabled: true, logfetch_options: 'fields=RayID' })
  for (let batch = 0; batch < 5; batch += 1) await send(...rays(20, `b${batch}-`))
  const expected = [0, 1, 2, 3, 4].flatMap((batch) => rays(20, `b${batch}-`))
  for (let number = 0; number < 100; number += 1) {
    const seen = await eventually(async () => {
      const all = await filed(`job-${number}`)
      return all.length >= expected.length && all
    }, 90_000)
    assert.deepEqual(seen, expected, `job ${number}`)
  }
  const { rows } = await database.query("select attempts from deliveries where object_name like 'job-%'")
  assert.deepEqual([...new Set(rows.map(({ attempts }) => Number(attempts)))], [1], 'every part was sent once')
  const counts = await Promise.all(exporters.map(({ url }) => delivered(url)))
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), rows.length, 'and by one of the two')
  assert.ok(Math.min(...counts) > 0, `both had a share: ${counts.join(' and ')}`)
})
