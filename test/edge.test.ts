/** An edge asks about requests: what it is told, whom it is believed, and what is written down. */
import assert from 'node:assert/strict'
import { request as ask } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { access, edge, lists, logs, rulesets } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

let house: House
let token: string
before(async () => {
  house = await startHouse({
    environment: {
      SPILLWAY_HOST: '::',
      SPILLWAY_TRUSTED_PROXIES: '127.0.0.1/32',
      SPILLWAY_EDGE_FACTS_HEADER: 'X-Edge-Facts',
      SPILLWAY_FETCH_MIN_AGE_SECONDS: '0',
    },
  })
  const { client, zoneScope: scope, accountScope } = house
  const made = await client.call(access.createToken, {
    scope: accountScope,
    body: { name: 'edge', permissions: ['edge:decide'], zones: [house.zone] },
  })
  token = made.value ?? ''
  const office = await client.call(lists.createList, { scope: accountScope, body: { name: 'office', kind: 'ip' } })
  await client.call(lists.addItems, {
    scope: accountScope,
    params: { list_id: office.id },
    body: [{ ip: '192.0.2.0/24' }],
  })
  await put('http_request_dynamic_redirect', [
    {
      action: 'redirect',
      expression: 'http.request.uri.path eq "/old"',
      action_parameters: { from_value: { target_url: { value: 'https://example.com/neü' }, status_code: 301 } },
    },
  ])
  await put('http_request_transform', [
    {
      action: 'rewrite',
      expression: 'starts_with(http.request.uri.path, "/v1/")',
      action_parameters: { uri: { path: { value: '/v2/x' } } },
    },
  ])
  await put('http_request_late_transform', [
    {
      action: 'rewrite',
      expression: 'true',
      action_parameters: {
        headers: {
          'X-From-Rule': { operation: 'set', value: 'yes' },
          'X-Secret': { operation: 'remove' },
        },
      },
    },
  ])
  await put('http_request_firewall_custom', [
    {
      action: 'block',
      description: 'Staff only',
      expression: 'starts_with(http.request.uri.path, "/admin") and not ip.src in $office',
    },
    {
      action: 'block',
      expression: 'http.request.method eq "TRACE" or ip.src.country eq "XX"',
      action_parameters: {
        response: { status_code: 451, content: '<h1>No, ü</h1>', content_type: 'text/html' },
      },
    },
    { action: 'log', description: 'Seen', expression: 'http.request.uri.path contains "/seen"' },
    { action: 'block', expression: 'any(http.request.headers["x-evil"][*] == "1")' },
    { action: 'block', expression: 'http.request.body.raw contains "attack"' },
    { action: 'block', expression: 'http.request.headers["authorization"][0] eq "Bearer visitor"' },
    { action: 'block', expression: 'http.x_forwarded_for contains "6.6.6.6"' },
  ])
  await put('http_ratelimit', [
    {
      action: 'block',
      expression: 'http.request.uri.path eq "/limited"',
      ratelimit: { characteristics: ['ip.src', 'cf.colo.id'], period: 60, requests_per_period: 2 },
    },
  ])

  function put(phase: string, rules: object[]) {
    return client.call(rulesets.updateEntryPoint, { scope, params: { phase }, body: { rules } })
  }
})
after(() => house.stop())

type Told = { status: number; headers: Record<string, string>; body: string }

/** Plain HTTP: fetch would follow redirects and refuse some methods. */
function asked(path: string, headers: object = {}, { method = 'GET', host = '127.0.0.1', body = '' } = {}) {
  const { port } = new URL(house.service.url)
  return new Promise<Told>((resolve, reject) => {
    const call = ask(
      {
        host,
        port,
        method,
        path: `/v4/zones/${house.zone}/edge/decide${path}`,
        headers: { authorization: `Bearer ${token}`, host: 'shop.example.com', ...headers },
      },
      async (answer) => {
        let text = ''
        for await (const chunk of answer.setEncoding('utf8')) text += chunk
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers as Record<string, string>, body: text })
      },
    )
    call.once('error', reject)
    call.end(body)
  })
}

const forwarded = (uri: string, more: object = {}) => ({
  'x-forwarded-uri': uri,
  'x-forwarded-method': 'GET',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'shop.example.com',
  'x-forwarded-for': '198.51.100.7',
  ...more,
})

describe('a trusted edge', () => {
  test('is told to let a request pass, with the changes the rules made', async () => {
    const told = await asked('', forwarded('/v1/a?b=1', { 'x-secret': '1' }))
    assert.equal(told.status, 200)
    assert.equal(told.headers['x-spillway-uri'], '/v2/x?b=1')
    assert.equal(told.headers['x-from-rule'], 'yes')
    assert.equal(told.headers['x-spillway-remove-headers'], 'x-secret')
    assert.match(told.headers['x-spillway-ray'] ?? '', /^[0-9a-f]{16}$/)
  })

  test('is told to block, with the response of the rule', async () => {
    const plain = await asked('', forwarded('/admin/x'))
    assert.deepEqual([plain.status, plain.body], [403, 'Blocked.\n'])
    const own = await asked('', forwarded('/', { 'x-forwarded-method': 'TRACE' }))
    assert.deepEqual(
      [own.status, own.body, own.headers['content-type'], own.headers['cache-control']],
      [451, '<h1>No, ü</h1>', 'text/html; charset=utf-8', 'no-store'],
    )
    assert.equal((await asked('', forwarded('/admin/x', { 'x-forwarded-for': '192.0.2.9' }))).status, 200)
  })

  test('is told to block a path however it is spelled, and to let others pass as they were spelled', async () => {
    for (const uri of ['/%61dmin', '//admin/x', '/x/../admin', '/%2e/admin?x=1'])
      assert.equal((await asked('', forwarded(uri))).status, 403, uri)
    const told = await asked('', forwarded('/%66ine//x/./y?a=%2e'))
    assert.deepEqual([told.status, told.headers['x-spillway-uri']], [200, '/%66ine//x/./y?a=%2e'])
  })

  test('is told to redirect, to an address that any client can read', async () => {
    const told = await asked('', forwarded('/old'))
    assert.deepEqual([told.status, told.headers.location], [301, 'https://example.com/ne%C3%BC'])
  })

  test('is told 429 and when to come back once a limit is passed', async () => {
    const from = { 'x-forwarded-for': '198.51.100.99' }
    for (const status of [200, 200, 429]) assert.equal((await asked('', forwarded('/limited', from))).status, status)
    const told = await asked('', forwarded('/limited', from))
    assert.equal(told.headers['retry-after'], '60')
    assert.equal((await asked('', forwarded('/limited'))).status, 200)
  })

  test('that knows only yes and no is told no, and gets the answer when it asks again', async () => {
    const no = await asked('?as=auth_request', forwarded('/old'))
    assert.deepEqual(
      [no.status, no.body, no.headers['x-spillway-status'], no.headers['x-spillway-location']],
      [403, '', '301', 'https://example.com/ne%C3%BC'],
    )
    const ray = no.headers['x-spillway-ray']
    const answer = await asked('?as=answer', forwarded('/old', { 'x-spillway-ray': ray }))
    assert.deepEqual([answer.status, answer.headers['x-spillway-ray']], [301, ray])
    assert.equal((await asked('?as=answer', forwarded('/fine'))).status, 403)
    assert.equal((await asked('?as=auth_request', forwarded('/fine'))).status, 200)
  })

  test('may send the request itself instead of telling about it', async () => {
    const more = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }
    assert.equal((await asked('/admin/x?y=1', more)).status, 403)
    assert.equal((await asked('/fine?as=answer', more)).headers['x-spillway-uri'], '/fine?as=answer')
    assert.equal((await asked('/', more)).headers['x-spillway-uri'], '/')
    assert.equal((await asked('/dav', more, { method: 'PROPFIND' })).status, 200)
    assert.equal((await asked('/a%00b', more)).headers['x-spillway-uri'], '/a%00b')
    assert.equal((await asked('/x', more, { method: 'POST', body: 'an attack' })).status, 403)
    const large = 'x'.repeat(300_000)
    assert.equal((await asked('/x', more, { method: 'POST', body: `${large}attack` })).status, 200)
  })

  test('may tell by X-Original-*, and more fields in the header that is set for it', async () => {
    const original = { 'x-original-url': 'https://shop.example.com/admin?x', 'x-original-method': 'GET' }
    assert.equal((await asked('', { ...original, 'x-real-ip': '198.51.100.7' })).status, 403)
    assert.equal((await asked('', { ...original, 'x-real-ip': '192.0.2.7' })).status, 200)
    assert.equal((await asked('', forwarded('/', { 'x-edge-facts': 'ip.src.country=XX; nonsense=1; x' }))).status, 451)
    assert.equal((await asked('', forwarded('/', { 'x-original-authorization': 'Bearer visitor' }))).status, 403)
  })

  test('that lets a header of the visitor through is not led astray by it', async () => {
    const twice = await asked('', forwarded('/admin', { 'x-original-uri': '/fine' }))
    assert.deepEqual([twice.status, twice.body], [403, 'The headers of this request contradict each other.\n'])
    const other = { 'x-original-method': 'HEAD' }
    assert.equal((await asked('', forwarded('/fine', other))).status, 403)
    assert.equal((await asked('', forwarded('/fine', { 'x-real-ip': '192.0.2.9' }))).status, 403)
    assert.equal((await asked('/fine', { 'x-forwarded-uri': '/other' })).status, 403)
    const chain = { 'x-forwarded-for': '192.0.2.9, 198.51.100.7, 127.0.0.1' }
    assert.equal((await asked('', forwarded('/admin', chain))).status, 403)
    const claimed = { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' }
    assert.equal((await asked('', forwarded('/fine', claimed))).status, 403)
  })
})

test('forwarding headers from an untrusted address change nothing', async () => {
  const host = '::1'
  const spoofed = forwarded('/admin', { 'x-edge-facts': 'ip.src.country=XX', 'x-original-method': 'TRACE' })
  for (const path of ['', '/fine', '/admin']) {
    const plain = await asked(path, {}, { host })
    const told = await asked(path, spoofed, { host })
    assert.deepEqual([told.status, told.headers['x-spillway-uri']], [plain.status, plain.headers['x-spillway-uri']])
  }
  const staff = { 'x-forwarded-for': '192.0.2.9', 'x-real-ip': '192.0.2.9' }
  assert.equal((await asked('/admin', staff, { host })).status, 403)
  const metrics = await (await fetch(`http://127.0.0.1:${new URL(house.service.url).port}/metrics`)).text()
  assert.match(metrics, /spillway_edge_doubts_total\{reason="untrusted peer"\} \d/)
})

test('only a token of the zone that may decide gets an answer', async () => {
  const { client, accountScope } = house
  const other = await client.call(access.createZone, { body: { name: 'other.test', account: { id: house.account } } })
  const make = async (permissions: 'edge:decide'[] | 'rulesets:read'[], zones: string[]) =>
    (await client.call(access.createToken, { scope: accountScope, body: { name: 'x', permissions, zones } })).value ??
    ''
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  assert.equal((await asked('', bearer(await make(['rulesets:read'], [house.zone])))).status, 403)
  assert.equal((await asked('', bearer(await make(['edge:decide'], [other.id])))).status, 404)
  const noToken = await asked('', { authorization: '' })
  assert.equal(noToken.status, 400)
  // The other zone has no rules, and gets none of this one's.
  const mine = token
  const zone = house.zone
  token = await make(['edge:decide'], [other.id])
  Object.assign(house, { zone: other.id })
  const told = await asked('', forwarded('/admin'))
  assert.deepEqual([told.status, told.headers['x-from-rule']], [200, undefined])
  Object.assign(house, { zone })
  token = mine
})

test('a revoked token is refused within a second, and decisions are not held up by the API limit', async () => {
  const { client, accountScope } = house
  const made = await client.call(access.createToken, {
    scope: accountScope,
    body: { name: 'short', permissions: ['edge:decide'] },
  })
  const headers = { authorization: `Bearer ${made.value}` }
  const first = await asked('', headers)
  assert.deepEqual([first.status, first.headers.ratelimit], [200, undefined])
  await client.call(access.revokeToken, { scope: accountScope, params: { token_id: made.id } })
  await wait(1_000)
  assert.equal((await asked('', headers)).status, 403)
})

test('a new version of rules and of a list is in force within one second', async () => {
  const { client, zoneScope: scope, accountScope } = house
  const isIn = async (status: number, uri: string, from: string) => {
    const until = performance.now() + 1_000
    for (;;) {
      const told = await asked('', forwarded(uri, { 'x-forwarded-for': from }))
      if (told.status === status) return
      assert.ok(performance.now() < until, `${uri} still answers ${told.status}`)
      await wait(20)
    }
  }
  await asked('', forwarded('/admin', { 'x-forwarded-for': '203.0.113.4' }))
  const all = await client.call(lists.listLists, { scope: accountScope })
  const params = { list_id: all[0]?.id ?? '' }
  await client.call(lists.addItems, { scope: accountScope, params, body: [{ ip: '203.0.113.4' }] })
  await isIn(200, '/admin', '203.0.113.4')
  const entry = await client.call(rulesets.viewEntryPoint, {
    scope,
    params: { phase: 'http_request_firewall_custom' },
  })
  const rule = await client.call(rulesets.addRule, {
    scope,
    params: { ruleset_id: entry.id },
    body: { action: 'block', expression: 'http.request.uri.path eq "/closed"' },
  })
  await isIn(403, '/closed', '203.0.113.4')
  await client.call(rulesets.deleteRule, {
    scope,
    params: { ruleset_id: entry.id, rule_id: rule?.rules.at(-1)?.id ?? '' },
  })
  await isIn(200, '/closed', '203.0.113.4')
})

test('rules that match and log are written down as firewall events', async () => {
  const uri = `/seen/${Date.now()}/admin?q=%C3%BC`
  const told = await asked(
    '',
    forwarded(uri, {
      'x-evil': '1',
      'user-agent': 'a "quoted" agent',
      referer: 'https://from.example/p?q',
      'x-request-id': '0123456789abcdef0123456789abcdef',
    }),
  )
  assert.equal(told.status, 403)
  const fields =
    'Action,ClientIP,ClientRefererHost,ClientRequestHost,ClientRequestMethod,ClientRequestPath,ClientRequestQuery,ClientRequestScheme,ClientRequestUserAgent,Description,EdgeResponseStatus,Kind,MatchIndex,RayID,Source,Datetime'
  let events: Record<string, unknown>[] = []
  for (let tries = 0; events.length < 2 && tries < 100; tries += 1) {
    await wait(100)
    const answer = await house.client.open(logs.received, {
      scope: house.zoneScope,
      query: {
        dataset: 'firewall_events',
        start: new Date(Date.now() - 60_000).toISOString(),
        end: new Date(Date.now() - 10).toISOString(),
        fields,
      },
    })
    const lines = (await answer.text()).split('\n').filter((line) => line !== '')
    events = lines.map((line) => JSON.parse(line)).filter((event) => event.RayID === '0123456789abcdef')
  }
  const common = {
    ClientIP: '198.51.100.7',
    ClientRefererHost: 'from.example',
    ClientRequestHost: 'shop.example.com',
    ClientRequestMethod: 'GET',
    ClientRequestPath: uri.split('?')[0],
    ClientRequestQuery: '?q=%C3%BC',
    ClientRequestScheme: 'https',
    ClientRequestUserAgent: 'a "quoted" agent',
    EdgeResponseStatus: 403,
    Kind: 'firewall',
    RayID: '0123456789abcdef',
    Source: 'firewallcustom',
  }
  assert.deepEqual(
    events.map(({ Datetime, ...event }) => event),
    [
      { Action: 'log', ...common, Description: 'Seen', MatchIndex: 1 },
      { Action: 'block', ...common, Description: '', MatchIndex: 0 },
    ],
  )
  assert.ok(Math.abs(Number(events[0]?.Datetime) / 1e6 - Date.now()) < 60_000)
})

test('the settings say what becomes of what cannot be decided', async () => {
  const { client, zoneScope: scope } = house
  assert.deepEqual(await client.call(edge.viewEdgeSettings, { scope }), { on_failure: 'open' })
  const closed = { on_failure: 'closed' as const }
  assert.deepEqual(await client.call(edge.updateEdgeSettings, { scope, body: closed }), closed)
  assert.deepEqual(await client.call(edge.viewEdgeSettings, { scope }), closed)
  await client.call(edge.updateEdgeSettings, { scope, body: { on_failure: 'open' } })
})

test('the hosted tracer answers under its own address', async () => {
  const zone = await house.client.call(access.viewZone, { scope: house.zoneScope })
  const body = { url: `https://${zone.name}/admin`, method: 'GET', ip: '198.51.100.7' }
  const traced = await house.client.call(edge.traceAsHosted, { scope: house.accountScope, body })
  assert.deepEqual([traced.status_code, traced.action], [403, 'block'])
})
