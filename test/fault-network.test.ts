/** Faults between the service and its two stores: PostgreSQL and ClickHouse away, slow, silent, and answering in part. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { makeLog } from '../src/base/index.ts'
import { credentialHeaders, logexport, rulesets } from '../src/contract/index.ts'
import { type Engine, startEngine } from '../src/engine/index.ts'
import { type Strait, startStrait } from './endpoints/strait.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'
import type { Job } from './journeys/job-house.ts'
import { freshPostgres } from './postgres.ts'

let directory: string
let postgres: Awaited<ReturnType<typeof freshPostgres>>
let engine: Engine
let database: Strait
let records: Strait
let house: ExportHouse
let job: Job
const sent: string[] = []

const through = (url: string, { port }: Strait): string =>
  Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-network-'))
  const listen = { host: '127.0.0.1', port: 0, user: 'spillway', password: randomBytes(12).toString('hex') }
  ;[postgres, engine] = await Promise.all([
    freshPostgres(),
    startEngine({ log: makeLog('silent') }, { directory: join(directory, 'engine'), listen }),
  ])
  const engineUrl = 'url' in engine.address ? engine.address.url : ''
  database = await startStrait({ port: Number(new URL(postgres.url).port) })
  records = await startStrait({ port: Number(new URL(engineUrl).port) })
  house = await startExportHouse({
    databaseUrl: through(postgres.url, database),
    environment: { SPILLWAY_CLICKHOUSE_URL: through(engineUrl, records), SPILLWAY_LEASE_SECONDS: '5' },
  })
  job = await house.toFiles('kept')
})

after(async () => {
  database.passage = 'open'
  records.passage = 'open'
  await house?.stop()
  await Promise.all([database, records].map((strait) => strait?.stop()))
  await engine?.close()
  await postgres?.drop()
  await rm(directory, { recursive: true, force: true })
})

afterEach(async () => {
  database.passage = 'open'
  records.passage = 'open'
  // Every fault ends the same way: all that was acknowledged is there, once, and nobody is blamed.
  const filed = await eventually(async () => {
    const all = (await house.filed('kept')).flat()
    return all.length >= sent.length && all
  }, 60_000)
  assert.deepEqual(filed.toSorted(), sent.toSorted())
  await eventually(async () => (await readdir(join(house.data, 'spool')).catch(() => [])).length === 0)
})

/** Sends records until they are acknowledged, and gives the statuses that came before that. */
async function send(prefix: string, within?: () => void): Promise<number[]> {
  const batch = rays(20, prefix)
  const refused: number[] = []
  const body = batch.map((RayID) => `${JSON.stringify({ RayID })}\n`).join('')
  await eventually(async () => {
    const answer = await fetch(`${house.baseUrl}/zones/${house.zone}/logs/ingest/http_requests`, {
      method: 'POST',
      headers: {
        ...credentialHeaders(house.credential),
        'content-type': 'application/x-ndjson',
        'idempotency-key': prefix,
      },
      body,
    })
    if (answer.ok) return true
    if (answer.status !== 429) assert.equal(answer.headers.has('retry-after'), true, await answer.text())
    refused.push(answer.status)
    within?.()
    return false
  }, 60_000)
  sent.push(...batch)
  return refused
}

const readiness = async () => {
  const answer = await fetch(`${house.service.url}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

test('connections to PostgreSQL that are cut in the middle of everything cost a retry, and nothing else', async () => {
  const cutting = setInterval(database.cut, 150)
  try {
    for (let batch = 0; batch < 5; batch += 1) await send(`cut-${batch}-`)
  } finally {
    clearInterval(cutting)
  }
  await eventually(async () => (await readiness()).status === 200)
})

test('while PostgreSQL is away the service says so and takes nothing; it goes on by itself when it is back', async () => {
  database.passage = 'closed'
  const { status, text } = await readiness()
  assert.equal(status, 503)
  assert.match(text, /"database":"does not answer"/)
  const refused = await send('away-', () => {
    database.passage = 'open'
  })
  assert.deepEqual([...new Set(refused)], [503])
})

test('an edge that was let in goes on deciding by the last known rules while PostgreSQL is away', async () => {
  const scope = { zone: house.zone }
  await house.client.call(rulesets.updateEntryPoint, {
    scope,
    params: { phase: 'http_request_firewall_custom' },
    body: { rules: [{ action: 'block', expression: 'http.request.uri.path eq "/closed"' }] },
  })
  const decide = async (path: string) =>
    (
      await fetch(`${house.baseUrl}/zones/${house.zone}/edge/decide${path}`, {
        headers: credentialHeaders(house.credential),
      })
    ).status
  const both = async () => [await decide('/open'), await decide('/closed')]
  assert.deepEqual(await both(), [200, 403])
  database.passage = 'closed'
  // What is remembered for a second, credentials and rules, has to be looked up again.
  await wait(1_500)
  assert.deepEqual(await both(), [200, 403])
  const stranger = { 'x-auth-email': 'nobody@nowhere.test', 'x-auth-key': '0'.repeat(37) }
  const asked = await fetch(`${house.baseUrl}/zones/${house.zone}/edge/decide/open`, { headers: stranger })
  assert.equal(asked.status, 503, 'whom nobody has let in before is not let in now')
})

test('a PostgreSQL that takes connections and says nothing is not waited for to be called not ready', async () => {
  database.passage = 'silent'
  const { status, text } = await readiness()
  assert.equal(status, 503)
  assert.match(text, /"database":"does not answer"/)
  database.passage = 'open'
  await send('silent-')
})

test('a slow PostgreSQL makes everything slow, and nothing wrong', async () => {
  database.passage = { delayMs: 40 }
  await send('slow-database-')
  await eventually(async () => (await house.filed('kept')).flat().includes('slow-database-0000'), 60_000)
})

test('while the record store is away nothing is acknowledged, and no job is blamed for it', async () => {
  records.passage = 'closed'
  const refused = await send('gone-', () => {
    records.passage = 'open'
  })
  assert.ok(refused.length > 0 && refused.every((status) => status === 503), refused.join())
  const told = house.logLines.filter((line) => line.includes('"told to try again"'))
  assert.ok(told.length > 0 && told.every((line) => line.includes('"err":{"type":')), 'the operator is told why')
  const { failures, error_message } = { ...(await house.status(job)), ...(await house.view(job)) }
  assert.deepEqual([failures, error_message], [0, null])
})

test('a slow record store makes everything slow, and nothing wrong', async () => {
  records.passage = { delayMs: 40 }
  await send('slow-records-')
  await eventually(async () => (await house.filed('kept')).flat().includes('slow-records-0000'), 60_000)
})

test('half a result of the record store never becomes an object', async () => {
  const big = await house.toFiles('whole', { logfetch_options: 'fields=RayID,ClientRequestURI' })
  await house.client.call(logexport.updateJob, {
    scope: house.zoneScope,
    params: { job_id: job.id },
    body: { enabled: false },
  })
  const expected = rays(400, 'half-')
  const lines = expected.map((RayID) =>
    JSON.stringify({ RayID, ClientRequestURI: `/${randomBytes(60).toString('hex')}` }),
  )
  const answer = await fetch(`${house.baseUrl}/zones/${house.zone}/logs/ingest/http_requests`, {
    method: 'POST',
    headers: { ...credentialHeaders(house.credential), 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  })
  assert.equal(answer.status, 200)
  // Small answers pass; an object of 400 records does not.
  records.cut()
  records.passage = { bytesBack: 9_000 }
  await eventually(async () => records.brokenOff() >= 2, 60_000)
  assert.deepEqual(await house.filed('whole'), [])
  records.passage = 'open'
  const filed = await eventually(async () => {
    const objects = await house.filed('whole')
    return objects.length > 0 && objects
  }, 60_000)
  assert.deepEqual(filed.flat(), expected)
  assert.equal((await house.deliveries(big)).filter(({ rows }) => rows !== 400).length, 0)
})
