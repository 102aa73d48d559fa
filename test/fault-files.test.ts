/** File descriptors run out, of the service and of its engine: what cannot be done is told so, and nothing breaks. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { credentialHeaders, logexport, makeClient } from '../src/contract/index.ts'
import { eventually } from './journeys/export-house.ts'
import { freePort } from './postgres.ts'
import { type FirstRun, firstRunOf, type Serving, serve, untilReady } from './serve.ts'

let service: Serving
let port: number
let first: FirstRun
const data = mkdtempSync(join(tmpdir(), 'spillway-files-'))
const fileRoot = join(data, 'exports')
const acknowledged: string[] = []
/** Connections that were there before descriptors ran out. */
const agent = new Agent({ keepAlive: true, maxSockets: 2 })

before(async () => {
  mkdirSync(fileRoot)
  port = await freePort()
  service = serve({
    SPILLWAY_PORT: String(port),
    SPILLWAY_DATA: data,
    SPILLWAY_FILE_ROOT: fileRoot,
    SPILLWAY_EXPORT_INTERVAL_SECONDS: '1',
  })
  await untilReady(`http://127.0.0.1:${port}`, 60_000)
  first = await firstRunOf(data)
  const client = makeClient({ baseUrl: `http://127.0.0.1:${port}/v4`, credential: first })
  const scope = { zone: first.zone_id }
  const destination_conf = 'file:///kept'
  const { filename } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
  const ownership_challenge = readFileSync(join(fileRoot, filename), 'utf8')
  const body = { destination_conf, ownership_challenge, enabled: true, logfetch_options: 'fields=RayID' }
  await client.call(logexport.createJob, { scope, body })
  assert.equal((await ingest('before')).status, 200)
  await Promise.all([ask('GET', '/healthz'), ask('GET', '/healthz')])
})
after(async () => {
  agent.destroy()
  await service.kill()
  await rm(data, { recursive: true, force: true })
})

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

function ask(method: string, path: string, body = '', type = 'application/json'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...credentialHeaders(first), ...(body ? { 'content-type': type } : {}) }
    const asked = request({ host: '127.0.0.1', port, method, path, agent, headers }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString()
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
    })
    asked.once('error', reject).end(body)
  })
}

async function ingest(ray: string): Promise<Answer> {
  const line = `${JSON.stringify({ RayID: ray })}\n`
  const path = `/v4/zones/${first.zone_id}/logs/ingest/http_requests`
  const answer = await ask('POST', path, line, 'application/x-ndjson')
  if (answer.status === 200) acknowledged.push(ray)
  return answer
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
const limitFiles = (pid: number, most: number | 'unlimited'): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`])

/** Every way to work that needs a file, a connection or neither. */
const ways: readonly (readonly [method: string, path: string, body?: string])[] = [
  ['GET', '/healthz'],
  ['GET', '/metrics'],
  ['GET', '/docs'],
  ['GET', '/v4/openapi.json'],
  ['GET', '/v4/user'],
  ['GET', '/v4/accounts'],
  ['POST', '/v4/accounts', JSON.stringify({ name: 'while files are scarce' })],
]
const waysOfZone = (zone: string): typeof ways => [
  ['GET', `/v4/zones/${zone}/logexport/jobs`],
  ['GET', `/v4/zones/${zone}/logs/received?${lastMinute()}`],
  ['GET', `/v4/zones/${zone}/rulesets`],
]
const lastMinute = (): string => {
  const end = Math.floor(Date.now() / 1000) - 61
  return `start=${end - 60}&end=${end}`
}

/** Every answer is whole, and says 503 with a time to come again where something could not be opened. */
async function asksAll(): Promise<Map<string, number>> {
  const statuses = new Map<string, number>()
  for (const [method, path, body] of [...ways, ...waysOfZone(first.zone_id)]) {
    const { status, headers, text } = await ask(method, path, body)
    assert.ok(status === 200 || status === 503, `${method} ${path}: ${status} ${text}`)
    if (status === 503) assert.ok(Number(headers['retry-after']) >= 1, `${method} ${path} says when to come again`)
    statuses.set(path, status)
  }
  return statuses
}

async function untilAllAreFiled(): Promise<void> {
  await eventually(async () => (await ingest('after').catch(() => undefined))?.status === 200, 30_000)
  const filed = await eventually(async () => {
    const names = readdirSync(fileRoot, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.gz'))
    const all = names.flatMap((name) =>
      [
        ...gunzipSync(readFileSync(join(fileRoot, name)))
          .toString()
          .matchAll(/"RayID":"([^"]*)"/g),
      ].map(([, ray]) => ray),
    )
    return all.length >= acknowledged.length && all
  }, 30_000)
  assert.deepEqual(filed.toSorted(), acknowledged.toSorted())
}

test('a service without a free descriptor answers those who are connected, and takes nobody else until there is one', async () => {
  const openNow = openFiles(service.pid)
  limitFiles(service.pid, openNow + 10)
  const idle: Socket[] = []
  try {
    for (let number = 0; number < 60; number += 1) idle.push(connect(port, '127.0.0.1').on('error', () => {}))
    await eventually(async () => openFiles(service.pid) >= openNow + 9)
    const late = fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => 'refused',
    )
    const { status, headers, text } = await ingest('within')
    assert.equal(status, 503, text)
    assert.ok(Number(headers['retry-after']) >= 1)
    assert.equal((await asksAll()).get('/healthz'), 200)
    for (const socket of idle) socket.destroy()
    assert.ok([200, 'refused'].includes(await late))
  } finally {
    for (const socket of idle) socket.destroy()
    limitFiles(service.pid, 1024)
  }
  await untilAllAreFiled()
  await untilReady(`http://127.0.0.1:${port}`)
})

test('an engine without a free descriptor is told as a store that does not answer just now', async () => {
  const engine = service.enginePid() ?? assert.fail()
  limitFiles(engine, openFiles(engine))
  try {
    for (const ray of ['one', 'two', 'three']) {
      const { status, text } = await ingest(ray)
      assert.ok(status === 200 || status === 503, `${status} ${text}`)
    }
    assert.equal((await asksAll()).get('/healthz'), 200)
  } finally {
    const now = service.enginePid()
    if (now !== undefined) limitFiles(now, 1024)
  }
  await untilAllAreFiled()
})

test('nothing was thrown past everybody on the way', () => {
  assert.doesNotMatch(service.said(), /uncaught/i)
})
