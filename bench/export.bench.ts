/**
 * What does it cost to carry records from the store to objects, how long does a record take, and what do idle jobs cost?
 *
 * "Raw" is the size of the stored records as NDJSON with all fields. CPU is that of the whole process tree, the engine
 * child included; the S3 endpoint is a process of its own and not counted.
 *
 * Targets: at most 4 CPU-seconds per raw GB for 12 fields and 10 for all, in a dataset of 49 fields and in one of 120;
 * p99 from acknowledged record to visible object below 3 s at an interval of 1 s under 5 MB/s of ingest; 10,000 idle jobs
 * below 3 % of one core.
 *
 * How gzip's level was chosen stands in bench/fetch.bench.ts: the same engine packs for both.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { type Client, logexport, logs, makeClient } from '../src/contract/index.ts'
import { type Dataset, makeGenerator, makeRegistry } from '../src/datasets/index.ts'
import { s3Keys, startS3 } from '../test/endpoints/index.ts'
import { freePort } from '../test/postgres.ts'
import { childrenOf, type FirstRun, firstRunOf, type Serving, serve, untilReady } from '../test/serve.ts'
import { fewerFields } from './fewer-fields.ts'
import { cpuSeconds } from './logs-measure.ts'

const missed: string[] = []
const asked = process.argv.slice(2)
const isAsked = (part: string) => asked.length === 0 || asked.includes(part)

function tell(what: string, figure: number, unit: string, most?: number): void {
  const target = most === undefined ? '' : `  (target ${most} ${unit})`
  console.log(`${what.padEnd(58)} ${figure.toFixed(2).padStart(9)} ${unit}${target}`)
  if (most !== undefined && figure > most) missed.push(what)
}

type Running = {
  readonly process: Serving
  readonly client: Client
  readonly first: FirstRun
  readonly data: string
  /** CPU-seconds of the service and its engine so far. */
  cpu(): number
  restart(): Promise<void>
  stop(): Promise<void>
}

async function start(s3Url: string, environment: Record<string, string> = {}): Promise<Running> {
  const data = await mkdtemp(join(tmpdir(), 'spillway-bench-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    SPILLWAY_PORT: String(port),
    SPILLWAY_DATA: data,
    SPILLWAY_RATE_LIMIT: '1000000000',
    SPILLWAY_LOG_LEVEL: 'error',
    SPILLWAY_S3_ENDPOINT: s3Url,
    AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    ...environment,
  }
  let process = serve(settings)
  await untilReady(url, 60_000)
  const first = await firstRunOf(data)
  return {
    get process() {
      return process
    },
    client: makeClient({ baseUrl: `${url}/v4`, credential: first }),
    first,
    data,
    cpu: () => [process.pid, ...childrenOf(process.pid)].reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    async restart() {
      await process.kill('SIGTERM')
      process = serve(settings)
      await untilReady(url, 60_000)
    },
    async stop() {
      await process.kill()
      await rm(data, { recursive: true, force: true })
    },
  }
}

async function startEndpoint(): Promise<{ readonly url: string; read(name: string): Promise<string>; stop(): void }> {
  const child = fork(join(import.meta.dirname, 's3-endpoint.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const heard = async () => String((await once(child, 'message'))[0])
  return {
    url: await heard(),
    async read(name) {
      child.send(name)
      return heard()
    },
    stop: () => void child.kill(),
  }
}

async function makeJob(
  { client, first }: Running,
  token: (filename: string) => Promise<string>,
  name: string,
  fields: object,
) {
  const scope = { zone: first.zone_id }
  const destination_conf = `s3://bench/${name}?region=us-east-1`
  const { filename, message } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
  if (message) throw new Error(message)
  const ownership_challenge = (await token(filename)).trim()
  const body = { destination_conf, ownership_challenge, enabled: true, ...fields }
  return client.call(logexport.createJob, { scope, body })
}

const registry = makeRegistry()
if (!registry.ok) throw new Error('the shipped datasets are broken')
const found = registry.value.find('http_requests', 'zone')
if (!found) throw new Error('no http_requests')
const dataset = found
const twelve =
  'RayID EdgeStartTimestamp EdgeEndTimestamp ClientIP ClientRequestHost ClientRequestMethod ClientRequestURI EdgeResponseStatus EdgeResponseBytes CacheCacheStatus ClientCountry ClientRequestUserAgent'.split(
    ' ',
  )
const send = ({ client, first }: Running, body: Buffer, { name }: Dataset = dataset) =>
  client.call(logs.ingest, { scope: { zone: first.zone_id }, params: { dataset: name }, body })

async function throughput(of: Dataset): Promise<void> {
  const own = await mkdtemp(join(tmpdir(), 'spillway-bench-datasets-'))
  if (of !== dataset) await writeFile(join(own, `${of.name}.json`), JSON.stringify(fileOf(of)))
  const endpoint = await startEndpoint()
  const running = await start(endpoint.url, { SPILLWAY_DATASETS: own })
  const generator = makeGenerator(of, 1)
  const begun = new Date(Date.now() - 1000).toISOString()
  let sent = 0
  for (let batch = 0; batch < 12; batch += 1) {
    const body = generator.lines(20_000)
    await send(running, body, of)
    sent += body.length
  }
  const end = new Date(Date.now() + 1000).toISOString()
  await wait(2000)
  const names = of.fields.map((field) => field.name)
  const jobs: readonly (readonly [string, object, number | undefined])[] = [
    [`all ${names.length} fields`, { field_names: names }, 10],
    [`12 of ${names.length} fields`, { field_names: twelve }, 4],
    [`all ${names.length} fields, redacted`, { field_names: names, ...redacted }, undefined],
    [`12 of ${names.length} fields, redacted`, { field_names: twelve, ...redacted }, undefined],
  ]
  let rawGb = 0
  for (const [what, output_options, target] of jobs) {
    const fields = { dataset: of.name, output_options }
    const job = await makeJob(running, (name) => endpoint.read(`bench/${name}`), what.replaceAll(/\W/g, '-'), fields)
    const call = { scope: { zone: running.first.zone_id }, params: { job_id: job.id } }
    await calm(running)
    const cpu = running.cpu()
    const at = performance.now()
    await running.client.call(logexport.backfill, { ...call, body: { start: begun, end } })
    for (;;) {
      const { open_windows, waiting_windows } = await running.client.call(logexport.jobStatus, call)
      if (open_windows + waiting_windows === 0) break
      // Asked every 50 ms, the answers alone cost a CPU-second for each GB.
      await wait(500)
    }
    const seconds = (performance.now() - at) / 1000
    const spent = running.cpu() - cpu
    const receipts = await running.client.call(logexport.listDeliveries, { ...call, query: { per_page: 1000 } })
    if (rawGb === 0) {
      rawGb = receipts.reduce((sum, { raw_bytes }) => sum + raw_bytes, 0) / 1e9
      console.log(`${(sent / 1e9).toFixed(3)} GB as sent, ${rawGb.toFixed(3)} GB raw, load ${loadavg()[0]?.toFixed(1)}`)
    }
    tell(`${what}: CPU-seconds per raw GB`, spent / rawGb, 's', target)
    tell(`${what}: CPU-seconds per GB as sent`, spent / (sent / 1e9), 's')
    tell(`${what}: raw MB/s`, (rawGb * 1000) / seconds, 'MB/s')
  }
  await running.stop()
  endpoint.stop()
  await rm(own, { recursive: true })
}

/** As an operator writes it. */
const fileOf = ({ fields, ...rest }: Dataset) => ({
  ...rest,
  fields: fields.map(({ filterable: _, ...field }) => field),
})

/** The store goes on merging for a while after an ingest; that is not the export's work. */
async function calm(running: Running): Promise<void> {
  for (let tries = 0; tries < 30; tries += 1) {
    const before = running.cpu()
    await wait(1000)
    if (running.cpu() - before < 0.1) return
  }
}

const redacted = { 'CVE-2021-44228': true }

async function latency(): Promise<void> {
  const s3 = await startS3()
  const running = await start(s3.url, { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' })
  await makeJob(running, async (name) => String(s3.objects().get(`bench/${name}`)?.body), 'latency', {
    logfetch_options: 'fields=RayID',
  })
  const generator = makeGenerator(dataset, 2)
  const acknowledged = new Map<string, number>()
  const times: number[] = []
  const seen = new Set<string>()
  const look = () => {
    for (const [name, { body }] of s3.objects()) {
      if (seen.has(name) || !name.endsWith('.gz')) continue
      seen.add(name)
      const now = performance.now()
      for (const [, mark = ''] of gunzipSync(body)
        .toString('latin1')
        .matchAll(/"RayID":"(mark-\d+)"/g)) {
        const at = acknowledged.get(mark)
        // Visible before the answer to the writer was read: no time at all.
        times.push(at === undefined ? 0 : now - at)
      }
    }
  }
  const watch = setInterval(look, 20)
  const marks = 100
  for (let batch = 0; batch < marks; batch += 1) {
    const next = performance.now() + 200
    const mark = `mark-${batch}`
    await send(running, Buffer.concat([generator.lines(820), Buffer.from(`{"RayID":"${mark}"}\n`)]))
    acknowledged.set(mark, performance.now())
    await wait(Math.max(0, next - performance.now()))
  }
  for (let waited = 0; times.length < marks && waited < 300; waited += 1) await wait(100)
  clearInterval(watch)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1000
  console.log(`${times.length} of ${marks} marked records seen, load ${loadavg()[0]?.toFixed(1)}`)
  tell('acknowledged record to object, p50', at(0.5), 's')
  tell('acknowledged record to object, p99', at(0.99), 's', 3)
  await running.stop()
  await s3.stop()
}

async function idle(): Promise<void> {
  const s3 = await startS3()
  const running = await start(s3.url)
  const job = await makeJob(running, async (name) => String(s3.objects().get(`bench/${name}`)?.body), 'idle', {
    logfetch_options: 'fields=RayID',
  })
  const measure = async (what: string, seconds: number, target?: number, meanwhile?: () => Promise<unknown>) => {
    // For half a minute after its start the engine looks for work all the time: 2 % of a core, then 0.7.
    await wait(30_000)
    const cpu = running.cpu()
    const at = performance.now()
    while (performance.now() - at < seconds * 1000) {
      await meanwhile?.()
      await wait(1000)
    }
    tell(what, ((running.cpu() - cpu) / ((performance.now() - at) / 1000)) * 100, '% of a core', target)
  }
  await measure('one idle job', 10)
  for (const [count, target] of [
    [1_000, undefined],
    [10_000, 3],
  ] as const) {
    await running.process.kill('SIGTERM')
    copyJob(running.data, job.id, count)
    await running.restart()
    await measure(`${count} idle jobs`, 15, target)
  }
  const generator = makeGenerator(dataset, 3)
  await running.process.kill('SIGTERM')
  wakeSome(running.data, 100)
  await running.restart()
  await measure('10,000 jobs, 100 of them with records every second', 20, undefined, () =>
    send(running, generator.lines(100)),
  )
  await running.stop()
  await s3.stop()
}

/** Jobs like this one, in another zone that stays silent. */
function copyJob(data: string, id: number, count: number): void {
  const database = new DatabaseSync(join(data, 'spillway.db'))
  const columns = (database.prepare('select name from pragma_table_info(?)').all('jobs') as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'id')
  const values = columns.map((name) => {
    if (name === 'destination_identity') return `destination_identity || '-' || n`
    if (name === 'scope_id' || name === 'zone_id') return `(select id from zones where name = 'silent.example')`
    return name
  })
  database.exec(
    `insert or ignore into zones (id, account_id, name, created_on, modified_on)
     select lower(hex(randomblob(16))), account_id, 'silent.example', created_on, modified_on from zones limit 1`,
  )
  database.exec(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
     insert or ignore into jobs (${columns.join(', ')}) select ${values.join(', ')} from jobs, numbers where jobs.id = ${id}`,
  )
  database.close()
}

/** Moves some of the silent jobs to the zone that has records. */
function wakeSome(data: string, count: number): void {
  const database = new DatabaseSync(join(data, 'spillway.db'))
  database.exec(
    `update jobs set scope_id = (select scope_id from jobs order by id limit 1), zone_id = scope_id
     where id in (select id from jobs order by id desc limit ${count})`,
  )
  database.close()
}

if (isAsked('idle')) await idle()
if (isAsked('latency')) await latency()
if (isAsked('throughput')) {
  await throughput({ ...fewerFields(dataset, 49, twelve), name: 'edge_requests' })
  await throughput(dataset)
}
for (const what of missed) console.error(`missed: ${what}`)
process.exitCode = missed.length === 0 ? 0 : 1
