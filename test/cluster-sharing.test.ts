/** Processes of one cluster: limits counted together, changes in force everywhere, and each keeping to its roles. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { WebSocket } from 'ws'
import { access, logs, rulesets, tail } from '../src/contract/index.ts'
import { type Cluster, startCluster } from './cluster-house.ts'
import { eventually } from './journeys/export-house.ts'

const userLimit = 400
let cluster: Cluster
/** The process in this test, and one like it that is a process of its own. */
let here: string
let there: string

before(async () => {
  cluster = await startCluster(['ingest', 'export'], {
    SPILLWAY_RATE_LIMIT: String(userLimit),
    SPILLWAY_FETCH_MIN_AGE_SECONDS: '0',
  })
  here = cluster.house.service.url
  there = cluster.process.url
})
after(() => cluster.stop())

const put = (phase: string, rules: object[]) =>
  cluster.house.client.call(rulesets.updateEntryPoint, {
    scope: cluster.house.zoneScope,
    params: { phase },
    body: { rules },
  })

const makeToken = async (...permissions: ('edge:decide' | 'logs:read')[]) => {
  const { id, value = '' } = await cluster.house.client.call(access.createToken, {
    scope: cluster.house.accountScope,
    body: { name: 'one', permissions, zones: [cluster.house.zone] },
  })
  return { id, value }
}

const decided = async (url: string, token: string, uri: string) => {
  const answer = await fetch(`${url}/v4/zones/${cluster.house.zone}/edge/decide`, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-uri': uri, 'x-forwarded-for': '198.51.100.7' },
  })
  await answer.arrayBuffer()
  return answer.status
}

test('requests that one process counted are too many for the other', async () => {
  const requests = 120
  await put('http_ratelimit', [
    {
      action: 'block',
      expression: 'http.request.uri.path eq "/limited"',
      ratelimit: {
        characteristics: ['ip.src', 'cf.colo.id'],
        period: 600,
        requests_per_period: requests,
        mitigation_timeout: 600,
      },
    },
  ])
  const token = await makeToken('edge:decide')
  await eventually(async () => (await decided(there, token.value, '/limited')) === 200)
  for (let number = 0; number < requests; number += 1) await decided(here, token.value, '/limited')
  // The other was asked a few times only; by its own count nothing is too many.
  let asked = 0
  await eventually(async () => {
    asked += 1
    return (await decided(there, token.value, '/limited')) === 429
  })
  assert.ok(asked < requests / 2, `after ${asked} requests of its own`)
})

test('a new version of rules and a revoked token are known to every process', async (t) => {
  const token = await makeToken('edge:decide')
  assert.equal(await decided(there, token.value, '/secret'), 200)
  await put('http_request_firewall_custom', [{ action: 'block', expression: 'http.request.uri.path eq "/secret"' }])
  const changedAt = performance.now()
  await eventually(async () => (await decided(there, token.value, '/secret')) === 403)
  t.diagnostic(`the rule was in force after ${Math.round(performance.now() - changedAt)} ms`)

  await cluster.house.client.call(access.revokeToken, {
    scope: cluster.house.accountScope,
    params: { token_id: token.id },
  })
  const revokedAt = performance.now()
  await eventually(async () => (await decided(there, token.value, '/')) === 403)
  t.diagnostic(`the token was refused after ${Math.round(performance.now() - revokedAt)} ms`)
})

test('events of a process that takes no records are records all the same', async () => {
  const token = await makeToken('edge:decide')
  await put('http_request_firewall_custom', [{ action: 'block', expression: 'http.request.uri.path eq "/secret"' }])
  await eventually(async () => (await decided(there, token.value, '/secret')) === 403)
  const found = await eventually(async () => {
    const now = Date.now()
    const answer = await fetch(
      `${here}/v4/zones/${cluster.house.zone}/logs/received?dataset=firewall_events&fields=ClientRequestPath` +
        `&start=${new Date(now - 600_000).toISOString()}&end=${new Date(now - 1000).toISOString()}`,
      { headers: { 'x-auth-email': cluster.house.credential.email, 'x-auth-key': cluster.house.credential.key } },
    )
    const text = await answer.text()
    return text.includes('/secret') && text
  })
  assert.match(found, /"ClientRequestPath":"\/secret"/)
})

test('a live tail ends when its credential is revoked, by whichever process', async () => {
  const { zone, zoneScope } = cluster.house
  const token = await makeToken('logs:read')
  const session = await cluster.house.as({ token: token.value }).call(tail.openTail, { scope: zoneScope, body: {} })
  const socket = new WebSocket(session.destination_conf)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  await cluster.process.client.call(access.revokeToken, {
    scope: cluster.house.accountScope,
    params: { token_id: token.id },
  })
  const [, reason] = await closed
  assert.equal(String(reason), 'its credential may not read these records any more', zone)
})

test('a process answers what its roles say, and names the role for everything else', async () => {
  const { house, process, roles } = cluster
  const urls: Record<string, string | undefined> = {
    api: process.url,
    ingest: roles.ingest?.service.url,
    export: roles.export?.service.url,
  }
  const asking = { 'x-auth-email': house.credential.email, 'x-auth-key': house.credential.key }
  const ask = async (role: string, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${urls[role]}${path}`, { headers: asking, ...init })
    const text = await answer.text()
    return { status: answer.status, message: text.startsWith('{') ? JSON.parse(text).errors?.[0]?.message : text }
  }
  const ingest = { method: 'POST', body: '{"RayID":"r1"}\n' }
  const records = `/v4/zones/${house.zone}/logs/ingest/http_requests`
  for (const role of ['api', 'ingest', 'export'])
    for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal((await ask(role, path)).status, 200, path)
  for (const role of ['ingest', 'export'])
    for (const path of ['/v4/zones', '/client/v4/user', `/v4/zones/${house.zone}/edge/decide/x`, '/', '/nowhere'])
      assert.deepEqual(await ask(role, path), {
        status: 421,
        message: `This process has the role ${role}; send the request to one with the role api`,
      })
  for (const role of ['api', 'export'])
    assert.deepEqual(await ask(role, records, ingest), {
      status: 421,
      message: `This process has the role ${role}; send the request to one with the role ingest`,
    })
  const taken = await roles.ingest?.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(ingest.body),
  })
  assert.equal(taken?.accepted, 1)
  assert.equal((await ask('api', '/v4/zones')).status, 200)
})

const remaining = async (url: string): Promise<number> => {
  const { email, key } = cluster.house.credential
  const answer = await fetch(`${url}/v4/user`, { headers: { 'x-auth-email': email, 'x-auth-key': key } })
  await answer.arrayBuffer()
  return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
}

test('words are heard again after the connection between the processes was cut', async () => {
  const database = new pg.Client({ connectionString: cluster.databaseUrl })
  await database.connect()
  const { rowCount } = await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'spillway bus' and datname = current_database()",
  )
  await database.end()
  assert.equal(rowCount, 4)
  const before = await remaining(there)
  // Asked here again and again, until what is counted here is heard there.
  await eventually(async () => {
    for (let number = 0; number < 5; number += 1) await remaining(here)
    return (await remaining(there)) < before - 5
  })
})

test('a user has one allowance, whichever process is asked', async () => {
  await eventually(async () => {
    const left = await Promise.all(Array.from({ length: 25 }, () => remaining(here)))
    return left.includes(0)
  })
  await eventually(async () => (await remaining(there)) === 0)
  const { email, key } = cluster.house.credential
  const answer = await fetch(`${there}/v4/user`, { headers: { 'x-auth-email': email, 'x-auth-key': key } })
  assert.equal(answer.status, 429)
})
