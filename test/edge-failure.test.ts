/** What becomes of decisions and events when something does not work. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { makeLog, makeMetrics } from '../src/base/index.ts'
import { access, edge, logs, rulesets } from '../src/contract/index.ts'
import { findField } from '../src/datasets/index.ts'
import { makeEvents } from '../src/edge/events.ts'
import { countRecords } from '../src/logs/index.ts'
import { deploy, evaluate, makeCounters, type Rule, readRequest } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'
import { aScope, openTestStore } from './logs-store.ts'

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

test('a zone whose rules cannot be read passes or refuses requests as it is set, and says so in a metric', async () => {
  const outcomes: number[] = []
  for (const on_failure of ['open', 'closed'] as const) {
    const zone = await house.client.call(access.createZone, {
      body: { name: `${on_failure}.test`, account: { id: house.account } },
    })
    const scope = { zone: zone.id }
    await house.client.call(edge.updateEdgeSettings, { scope, body: { on_failure } })
    const entry = await house.client.call(rulesets.updateEntryPoint, {
      scope,
      params: { phase: 'http_request_firewall_custom' },
      body: { rules: [{ action: 'block', expression: 'ssl' }] },
    })
    const file = new DatabaseSync(join(house.data, 'spillway.db'))
    file
      .prepare('update ruleset_versions set rules = replace(rules, \'"ssl"\', \'"broken ("\') where ruleset_id = ?')
      .run(entry?.id ?? '')
    file.close()
    const { email, key } = house.credential
    const answer = await fetch(`${house.baseUrl}/zones/${zone.id}/edge/decide`, {
      headers: { 'x-auth-email': email, 'x-auth-key': key },
    })
    outcomes.push(answer.status)
  }
  assert.deepEqual(outcomes, [200, 503])
  const metrics = await (await fetch(`${house.service.url}/metrics`)).text()
  for (const instead of ['open', 'closed'])
    assert.match(metrics, new RegExp(`spillway_edge_failures_total\\{instead="${instead}"\\} 1`))
})

test('the last known rules stay in force while newer ones cannot be read', async () => {
  const { email, key } = house.credential
  const asked = async () =>
    (
      await fetch(`${house.baseUrl}/zones/${house.zone}/edge/decide/closed`, {
        headers: { 'x-auth-email': email, 'x-auth-key': key },
      })
    ).status
  const put = (expression: string) =>
    house.client.call(rulesets.updateEntryPoint, {
      scope: house.zoneScope,
      params: { phase: 'http_request_firewall_custom' },
      body: { rules: [{ action: 'block', expression }] },
    })
  await put('http.request.uri.path eq "/closed"')
  assert.equal(await asked(), 403)
  await put('ssl')
  const file = new DatabaseSync(join(house.data, 'spillway.db'))
  file.exec('update ruleset_versions set rules = replace(rules, \'"ssl"\', \'"broken ("\')')
  file.close()
  await wait(1_100)
  assert.equal(await asked(), 403)
  const metrics = await (await fetch(`${house.service.url}/metrics`)).text()
  assert.match(metrics, /spillway_edge_failures_total\{instead="last known rules"\} \d/)
})

test('events noted just before the service stops are found after its next start', async () => {
  const data = await mkdtemp(join(tmpdir(), 'spillway-edge-'))
  const first = await startHouse({ data })
  await first.client.call(rulesets.updateEntryPoint, {
    scope: first.zoneScope,
    params: { phase: 'http_request_firewall_custom' },
    body: { rules: [{ action: 'log', expression: 'true', description: 'all' }] },
  })
  const { email, key } = first.credential
  const headers = { 'x-auth-email': email, 'x-auth-key': key }
  for (let count = 0; count < 20; count += 1)
    await fetch(`${first.baseUrl}/zones/${first.zone}/edge/decide/page/${count}`, { headers })
  await first.stop()
  const second = await startHouse({ data, environment: { SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' } })
  const answer = await second.client.open(logs.received, {
    scope: second.zoneScope,
    query: {
      dataset: 'firewall_events',
      start: new Date(Date.now() - 120_000).toISOString(),
      end: new Date(Date.now() - 10).toISOString(),
      fields: 'ClientRequestPath',
    },
  })
  assert.equal((await answer.text()).trimEnd().split('\n').length, 20)
  await second.stop()
  await rm(data, { recursive: true, force: true })
})

test('a full queue drops events, counts them, and keeps deciding', async () => {
  const store = await openTestStore()
  const metrics = makeMetrics()
  const events = makeEvents({ logs: store.needs, log: makeLog('silent'), metrics }, { most: 3, everyMs: 20 })
  const rule = {
    id: 'a',
    ref: 'a',
    version: '1',
    last_updated: '',
    description: 'ü',
    enabled: true,
    action: 'log',
    expression: 'true',
  } satisfies Rule
  const ruleset = {
    id: 'r',
    name: 'r',
    description: '',
    kind: 'zone' as const,
    phase: 'http_request_firewall_custom',
    version: '1',
    last_updated: '',
    rules: [rule],
  }
  const deployment = deploy({
    account: [],
    zone: [ruleset],
    find: () => undefined,
    lists: () => undefined,
    redirectFrom: () => undefined,
  })
  const request = readRequest({ method: 'GET', url: 'https://example.com/ü' }, { at: 1n, id: 'ray' })
  assert.ok(request.ok)
  const decision = evaluate(deployment, request.value, { counters: makeCounters() })
  const note = () => events.note(aScope(), request.value, decision, 'example.com')
  for (let count = 0; count < 5; count += 1) note()
  const said = async () => (await metrics.registry.getSingleMetricAsString('spillway_edge_events_total')).split('\n')
  assert.ok((await said()).includes('spillway_edge_events_total{outcome="dropped"} 2'))
  // The queue is free again once the first three are written.
  while (!(await said()).includes('spillway_edge_events_total{outcome="written"} 3')) await wait(20)
  note()
  await events.close()
  assert.ok((await said()).includes('spillway_edge_events_total{outcome="written"} 4'))
  const dataset = store.needs.datasets.find('firewall_events', 'zone')
  const key = dataset && findField(dataset, 'ClientRequestPath')
  assert.ok(dataset && key)
  const selection = { filter: { key, operator: 'eq', value: '/ü' } as const, sample: 1 }
  const window = { from: 0n, to: 2n ** 63n }
  assert.equal(await countRecords(store.needs, aScope(), dataset, window, selection as never), 4)
  await store.close()
})
