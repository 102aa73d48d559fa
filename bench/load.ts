/**
 * Does a service hold mixed reads, ingest and many jobs at the same time, and does its memory stay where it is?
 * 2,000 reads a second (p50 and p99), 20 MB/s of records, 200 active jobs, for ten minutes:
 *
 *     node bench/load.ts [--minutes 10] [--reads 2000] [--megabytes 20] [--jobs 200]
 *
 * The load is made in this process, on the same machine: with two cores, what it costs is taken from the service. What could
 * not be sent in time is counted as such and not left out; a late answer is measured from when it was due.
 */
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { credentialHeaders, logexport, makeClient } from '../src/contract/index.ts'
import { makeGenerator, makeRegistry } from '../src/datasets/index.ts'
import { freePort } from '../test/postgres.ts'
import { firstRunOf, serve, untilReady } from '../test/serve.ts'
import { cpuSeconds } from './logs-measure.ts'
import { makeReader } from './reader.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    reads: { type: 'string', default: '2000' },
    megabytes: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '200' },
  },
})
const asked = {
  minutes: Number(values.minutes),
  reads: Number(values.reads),
  megabytes: Number(values.megabytes),
  jobs: Number(values.jobs),
}

const data = await mkdtemp(join(tmpdir(), 'spillway-load-'))
const fileRoot = join(data, 'exports')
await mkdir(fileRoot)
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const service = serve({
  SPILLWAY_PORT: String(port),
  SPILLWAY_DATA: data,
  SPILLWAY_FILE_ROOT: fileRoot,
  SPILLWAY_OWNERSHIP: 'storage',
  SPILLWAY_RATE_LIMIT: '1000000000',
  SPILLWAY_MAX_JOBS: '0',
  SPILLWAY_LOG_LEVEL: 'warn',
})

try {
  await untilReady(url)
  const first = await firstRunOf(data)
  const client = makeClient({ baseUrl: `${url}/v4`, credential: first })
  const scope = { zone: first.zone_id }
  const made: number[] = []
  for (let number = 0; number < asked.jobs; number += 1) {
    const body = { destination_conf: `file:///load/job-${number}` }
    const { filename } = await client.call(logexport.issueChallenge, { scope, body })
    const ownership_challenge = readFileSync(join(fileRoot, filename), 'utf8').trim()
    // Each job keeps one record in a hundred: 200 whole copies of 20 MB/s would be 4 GB/s.
    const fields = { logfetch_options: 'fields=RayID,ClientIP&sample=0.01', enabled: true }
    made.push((await client.call(logexport.createJob, { scope, body: { ...body, ...fields, ownership_challenge } })).id)
  }
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} before; ${asked.reads} reads/s, ${asked.megabytes} MB/s, ` +
      `${made.length} jobs, ${asked.minutes} minutes; the load is made on the same machine`,
  )
  await run(first.zone_id, credentialHeaders(first), made)
} finally {
  await service.kill('SIGTERM')
  await rm(data, { recursive: true, force: true })
}

async function run(zone: string, headers: Readonly<Record<string, string>>, jobs: readonly number[]): Promise<void> {
  const until = performance.now() + asked.minutes * 60_000
  const reads = makeReads(zone, headers, jobs)
  const ingest = makeIngest(zone, headers)
  const memory: Memory[] = []
  const begun = performance.now()
  const before = {
    service: cpuSeconds(service.pid),
    engine: cpuSeconds(service.enginePid()),
    load: process.cpuUsage(),
  }
  const watch = setInterval(() => {
    const minute = (performance.now() - begun) / 60_000
    memory.push({ minute, service: resident(service.pid), engine: resident(service.enginePid() ?? 0) })
  }, 5_000)
  await Promise.all([reads.until(until), ingest.until(until)])
  clearInterval(watch)
  const seconds = (performance.now() - begun) / 1000
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const delivered = metrics.match(/^spillway_deliveries_total\{[^}]*outcome="delivered"[^}]*\} (\d+)/m)?.[1] ?? '0'
  const behind = metrics.match(/^spillway_jobs_behind (\d+)/m)?.[1] ?? '?'
  console.log(reads.tell(seconds))
  console.log(ingest.tell(seconds))
  const cost = (used: number) => (used / seconds).toFixed(2)
  const made = process.cpuUsage(before.load)
  console.log(
    `CPU-seconds a second: service ${cost(cpuSeconds(service.pid) - before.service)}, ` +
      `engine ${cost(cpuSeconds(service.enginePid()) - before.engine)}, making the load ${cost((made.user + made.system) / 1e6)}`,
  )
  console.log(`export: ${delivered} parts delivered, ${behind} jobs behind at the end`)
  // The first minutes are for filling caches; growth after them is growth.
  for (const whose of ['service', 'engine'] as const)
    console.log(`memory of the ${whose} by minute, MB: ${byMinute(memory, whose).join(' ')}`)
}

type Memory = { readonly minute: number; readonly service: number; readonly engine: number }

function byMinute(memory: readonly Memory[], whose: 'service' | 'engine'): readonly number[] {
  const minutes = Map.groupBy(memory, ({ minute }) => Math.floor(minute)).values()
  return [...minutes].map((some) => Math.round(some.reduce((sum, one) => sum + one[whose], 0) / some.length))
}

/** Mixed reads at a steady rate, whatever the answers take. */
function makeReads(zone: string, headers: Readonly<Record<string, string>>, jobs: readonly number[]) {
  const reader = makeReader(port, 64, headers)
  const paths = [
    () => `/v4/zones/${zone}/logexport/jobs/${jobs[Math.floor(Math.random() * jobs.length)]}`,
    () => `/v4/zones/${zone}/logexport/jobs/${jobs[Math.floor(Math.random() * jobs.length)]}/status`,
    () => `/v4/zones/${zone}/logexport/datasets/http_requests/fields/default`,
    () => `/v4/zones/${zone}`,
    () => `/v4/zones/${zone}/rulesets`,
    () => '/v4/user',
    () => `/v4/accounts?per_page=5`,
  ]
  const took: number[] = []
  const statuses = new Map<number, number>()
  let unsent = 0
  let flying = 0
  const read = async (due: number) => {
    flying += 1
    const path = (paths[Math.floor(Math.random() * paths.length)] as () => string)()
    const status = await reader.read(path)
    flying -= 1
    took.push(performance.now() - due)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return {
    async until(end: number) {
      let due = performance.now()
      while (due < end) {
        const now = performance.now()
        for (; due <= now && due < end; due += 1000 / asked.reads) {
          // A service that is far behind is not buried deeper; what was not sent is said.
          if (flying > 4 * asked.reads) unsent += 1
          else void read(due)
        }
        await wait(1)
      }
      while (flying > 0) await wait(20)
      reader.close()
    },
    tell(seconds: number) {
      took.sort((a, b) => a - b)
      const at = (share: number) => (took[Math.floor(share * (took.length - 1))] ?? 0).toFixed(1)
      const kinds = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
      return `reads: ${(took.length / seconds).toFixed(0)}/s answered, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms; ${kinds}; ${unsent} not sent`
    },
  }
}

/** One batch a second, packed as a log shipper would. */
function makeIngest(zone: string, headers: Readonly<Record<string, string>>) {
  const registry = makeRegistry()
  const dataset = registry.ok ? registry.value.find('http_requests') : undefined
  if (!dataset) throw new Error('no http_requests')
  const lines = makeGenerator(dataset, 1).lines(4_000)
  const packed = gzipSync(lines, { level: 1 })
  let accepted = 0
  let shed = 0
  let failed = 0
  let late = 0
  const send = async () => {
    const answer = await fetch(`${url}/v4/zones/${zone}/logs/ingest/http_requests`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
      body: packed,
    }).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) accepted += lines.length
    else if (answer?.status === 429) shed += 1
    else failed += 1
  }
  return {
    async until(end: number) {
      const everyMs = lines.length / (asked.megabytes * 1000)
      const flying = new Set<Promise<void>>()
      for (let due = performance.now(); due < end; due += everyMs) {
        await wait(Math.max(0, due - performance.now()))
        if (flying.size >= 16) {
          late += 1
          continue
        }
        const one: Promise<void> = send().finally(() => flying.delete(one))
        flying.add(one)
      }
      await Promise.all(flying)
    },
    tell: (seconds: number) =>
      `ingest: ${(accepted / 1e6 / seconds).toFixed(1)} MB/s acknowledged, ${shed} batches shed with 429, ${failed} failed, ${late} not sent because 16 were under way`,
  }
}

function resident(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
