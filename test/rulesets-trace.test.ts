/** A request tried out on deployed rules, through the API and on the command line. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { access, lists, Refused, rulesets } from '../src/contract/index.ts'
import { commonProtection } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'
import { say } from './terminal.ts'

let house: House
before(async () => {
  house = await startHouse()
  const { client, zoneScope: scope, accountScope } = house
  const list = await client.call(lists.createList, { scope: accountScope, body: { name: 'office', kind: 'ip' } })
  await client.call(lists.addItems, {
    scope: accountScope,
    params: { list_id: list.id },
    body: [{ ip: '192.0.2.0/24' }],
  })
  await client.call(rulesets.updateEntryPoint, {
    scope,
    params: { phase: 'http_request_firewall_custom' },
    body: {
      rules: [
        {
          action: 'block',
          expression: 'starts_with(http.request.uri.path, "/admin") and not ip.src in $office',
          description: 'Staff only',
        },
        { action: 'log', expression: 'ip.src.country eq "DE" and cf.bot_management.score lt 30' },
      ],
    },
  })
  const overrides = { categories: [{ category: 'xss', action: 'log' }] }
  await client.call(rulesets.updateEntryPoint, {
    scope,
    params: { phase: 'http_request_firewall_managed' },
    body: {
      rules: [{ action: 'execute', action_parameters: { id: commonProtection.id, overrides }, expression: 'true' }],
    },
  })
})
after(() => house.stop())

const trace = (body: object, scope: { zone: string } | { account: string } = house.zoneScope) =>
  house.client.call(rulesets.traceRequest, { scope, body: { method: 'GET', ...body } })

test('a rule with a list decides by the address', async () => {
  const outside = await trace({ url: 'https://example.com/admin/x', ip: '198.51.100.1' })
  assert.deepEqual([outside.status_code, outside.action], [403, 'block'])
  const [step] = outside.trace[0]?.trace?.[0]?.trace ?? []
  assert.deepEqual(step?.values, { 'http.request.uri.path': '/admin/x', 'ip.src': '198.51.100.1' })
  const inside = await trace({ url: 'https://example.com/admin/x', ip: '192.0.2.9' })
  assert.deepEqual([inside.status_code, inside.action], [200, 'allow'])
})

test('place and bot score come from the context, other fields by name', async () => {
  const context = { bot_score: 5, geoloc: { iso_code: 'DE' } }
  const matched = await trace({ url: 'https://example.com/', context })
  assert.equal(matched.trace[0]?.trace?.[0]?.trace?.[1]?.matched, true)
  const fields = { 'ip.src.country': 'DE', 'cf.bot_management.score': 90 }
  assert.equal((await trace({ url: 'https://example.com/', fields })).trace[0]?.matched, false)
})

test('the managed ruleset blocks, and its override only logs', async () => {
  const sqli = await trace({ url: 'https://example.com/?id=1+union+select+2', headers: { 'User-Agent': 'x' } })
  assert.equal(sqli.status_code, 403)
  const xss = await trace({ url: 'https://example.com/?q=<script>1</script>', headers: { 'User-Agent': 'x' } })
  assert.equal(xss.action, 'allow')
})

test('at account level the host says which zone is meant', async () => {
  const zone = await house.client.call(access.viewZone, { scope: house.zoneScope })
  const body = { url: `https://www.${zone.name}/admin`, ip: '198.51.100.1' }
  assert.equal((await trace(body, house.accountScope)).action, 'block')
  assert.deepEqual((await trace({ ...body, url: 'https://elsewhere.test/admin' }, house.accountScope)).trace, [])
})

test('what is no request is refused with its place', async () => {
  for (const [body, pointer] of [
    [{ url: 'ftp://x' }, '/url'],
    [{ url: 'https://x', method: 'G T' }, '/method'],
    [{ url: 'https://x', body: { json: 1, base64: '' } }, '/body'],
    [{ url: 'https://x', context: { bot_score: 0 } }, '/context/bot_score'],
    [{ url: 'https://x', shoe: 1 }, '/shoe'],
  ] as const) {
    const error = await trace(body).catch((reason: unknown) => reason)
    assert.ok(error instanceof Refused)
    assert.deepEqual([error.status, error.errors[0]?.source?.pointer], [400, pointer])
  }
})

test('the command line prints a trace as a tree', async () => {
  const argv = ['trace', 'https://example.com/admin', '--ip', '198.51.100.1', '-H', 'User-Agent: x']
  const { out, code } = await say([...argv, '--url', house.baseUrl, '--data', house.data])
  assert.equal(code, 0)
  assert.deepEqual(out.split('\n'), [
    '└─ ✓ http_request_firewall_custom',
    '   └─ ✓ zone default',
    '      └─ ✓ block Staff only',
    '            starts_with(http.request.uri.path, "/admin") and not ip.src in $office',
    '            with http.request.uri.path = "/admin", ip.src = "198.51.100.1"',
    'block, 403',
  ])
})
