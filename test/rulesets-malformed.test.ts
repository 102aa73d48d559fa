/** Two hundred ways to write a rule wrongly: each is 400 with a pointer and a reason, and nothing is stored. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rulesets } from '../src/contract/index.ts'
import { commonProtection } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'

const custom = 'http_request_firewall_custom'
const managed = 'http_request_firewall_managed'
const rule = { action: 'block', expression: 'true' }
const parameters = (action: string, ...wrong: unknown[]) =>
  wrong.map((action_parameters) => ({ action, expression: 'true', action_parameters }))
const expressions = (...texts: unknown[]) => texts.map((expression) => ({ ...rule, expression }))
const target = (more: object) => ({ id: commonProtection.id, ...more })
const someId = 'ab'.repeat(16)
const aRule = commonProtection.rules[0]!.id
const limit = { characteristics: ['cf.colo.id', 'ip.src'], period: 60, requests_per_period: 5 }
const limits = (...wrong: object[]) => wrong.map((more) => ({ ...rule, ratelimit: { ...limit, ...more } }))

/** By phase: each entry is one rule that must be refused on its own. */
const malformed: Record<string, unknown[]> = {
  [custom]: [
    ...['redirect', 'rewrite', 'route', 'set_config', 'set_cache_settings', 'serve_error', 'compress_response'].map(
      (action) => ({ ...rule, action }),
    ),
    ...['log_custom_field', 'set_cache_control', 'set_cache_tags', 'ddos_dynamic', 'force_connection_close'].map(
      (action) => ({ ...rule, action }),
    ),
    ...['', 'BLOCK', 'block ', 'bloc', 'drop table', 7, null, true, {}, []].map((action) => ({ ...rule, action })),
    ...expressions(
      '',
      ' ',
      '\t',
      'a'.repeat(4097),
      'http.host',
      'http.host eq',
      'http.host eq "a',
      'http.host eq "a" and',
      '(ssl',
      'ssl)',
    ),
    ...expressions(
      'http.hostt eq "a"',
      'ssl eq true',
      'ip.src eq "1.2.3.4"',
      'ip.src in {1.2.3.4/8}',
      'http.request.uri.args["a"] eq "b"',
    ),
    ...expressions(
      'len(http.host)',
      'lower(http.host) eq 5',
      'nofunction(http.host)',
      'http.host matches "("',
      'http.host wildcard "a**b"',
    ),
    ...expressions(
      'http.response.code eq 200',
      'tcp.dstport eq 80',
      'cf.zone.name eq "a"',
      'regex_replace(http.host, "a", "b") eq "b"',
    ),
    ...expressions(
      'ip.src in $nolist',
      'ip.src in $',
      `${'('.repeat(200)}ssl${')'.repeat(200)}`,
      `http.host eq "${'é'.repeat(4090)}"`,
    ),
    ...expressions(7, null, true, {}, [], ['true']),
    { ...rule, enabled: 'true' },
    { ...rule, enabled: 1 },
    { ...rule, enabled: null },
    { ...rule, description: 5 },
    { ...rule, description: 'x'.repeat(1025) },
    { ...rule, description: null },
    { ...rule, ref: '' },
    { ...rule, ref: 5 },
    { ...rule, ref: 'r'.repeat(257) },
    { ...rule, id: 'not-an-id' },
    { ...rule, id: someId },
    { id: someId },
    { ...rule, logging: true },
    { ...rule, logging: {} },
    { ...rule, logging: { enabled: 'no' } },
    { ...rule, logging: { enabled: true, more: 1 } },
    { ...rule, ratelimit: limit },
    { ...rule, categories: ['sqli'] },
    { ...rule, score_threshold: 5 },
    { ...rule, position: { index: 1 } },
    { ...rule, unknown: 1 },
    { ...rule, exposed_credential_check: { username_expression: 'http.host', password_expression: 'http.host' } },
    { action: 'block' },
    { expression: 'true' },
    { action_parameters: {} },
    {},
    null,
    7,
    'block',
    [],
    [rule],
    ...parameters('block', 5, null, [], 'x', { respons: {} }, { response: null }, { response: {} }),
    ...parameters(
      'block',
      { response: { status_code: 200, content: 'x', content_type: 'text/plain' } },
      { response: { status_code: 500, content: 'x', content_type: 'text/plain' } },
      { response: { status_code: '403', content: 'x', content_type: 'text/plain' } },
      { response: { status_code: 403, content: '', content_type: 'text/plain' } },
      { response: { status_code: 403, content: 'x', content_type: 'image/png' } },
      { response: { status_code: 403, content: 'x'.repeat(30 * 1024 + 1), content_type: 'text/plain' } },
      { response: { status_code: 403, content: 'x', content_type: 'text/plain', extra: 1 } },
    ),
    ...parameters(
      'skip',
      {},
      { ruleset: 'other' },
      { rulesets: [] },
      { rulesets: ['x'] },
      { rulesets: [someId] },
      { phases: [] },
    ),
    ...parameters(
      'skip',
      { phases: ['http_request_transform'] },
      { phases: ['nope'] },
      { phases: [5] },
      { products: ['WAF'] },
      { products: [] },
    ),
    ...parameters(
      'skip',
      { ruleset: 'current', rulesets: [commonProtection.id] },
      { ruleset: 'current', rules: { [commonProtection.id]: [aRule] } },
    ),
    ...parameters(
      'skip',
      { phases: ['http_ratelimit'], rulesets: [commonProtection.id] },
      { rules: {} },
      { rules: { x: [aRule] } },
    ),
    ...parameters(
      'skip',
      { rules: { [someId]: [aRule] } },
      { rules: { [commonProtection.id]: [someId] } },
      { phase: 'current' },
    ),
    ...parameters('log', { a: 1 }, [], null, 5),
    ...parameters('managed_challenge', { a: 1 }),
    ...parameters('score', {}, { increment: 'a' }, { increment: 1.5 }, { increment: 1e9 }, { increment: 1, more: 2 }),
    ...parameters('execute', {}, { id: 'x' }, { id: someId }, { id: commonProtection.id }),
  ],
  [managed]: [
    ...['challenge', 'score', 'rewrite', 'js_challenge'].map((action) => ({ ...rule, action })),
    ...parameters(
      'execute',
      target({ version: '99' }),
      target({ version: 'newest' }),
      target({ version: 1 }),
      target({ more: 1 }),
    ),
    ...parameters(
      'execute',
      target({ overrides: {} }),
      target({ overrides: { action: 'skip' } }),
      target({ overrides: { action: 5 } }),
    ),
    ...parameters(
      'execute',
      target({ overrides: { enabled: 'yes' } }),
      target({ overrides: { sensitivity_level: 'low' } }),
    ),
    ...parameters(
      'execute',
      target({ overrides: { categories: [{}] } }),
      target({ overrides: { categories: [{ category: 'xss' }] } }),
    ),
    ...parameters('execute', target({ overrides: { categories: [{ category: 'no-such', enabled: true }] } })),
    ...parameters(
      'execute',
      target({ overrides: { rules: [{ id: someId, enabled: true }] } }),
      target({ overrides: { rules: [{ id: aRule }] } }),
    ),
    ...parameters(
      'execute',
      target({
        overrides: {
          rules: [
            { id: aRule, enabled: true },
            { id: aRule, enabled: false },
          ],
        },
      }),
    ),
    ...parameters('execute', target({ matched_data: {} }), target({ matched_data: { public_key: '' } })),
    ...parameters('skip', { phases: ['http_request_sbfm'] }, { phases: [custom] }),
  ],
  http_ratelimit: [
    rule,
    ...['skip', 'execute', 'score'].map((action) => ({ ...rule, action, ratelimit: limit })),
    ...limits(
      { characteristics: [] },
      { characteristics: ['ip.src'] },
      { characteristics: 'ip.src' },
      { characteristics: ['cf.colo.id', 'nope'] },
    ),
    ...limits(
      { characteristics: ['cf.colo.id', 'ip.src', 'ip.src'] },
      { characteristics: ['cf.colo.id', 'ip.src', 'cf.unique_visitor_id'] },
    ),
    ...limits(
      { period: 61 },
      { period: '60' },
      { period: 0 },
      { requests_per_period: 0 },
      { requests_per_period: 1.5 },
      { requests_per_period: 1e9 },
    ),
    ...limits(
      { mitigation_timeout: -1 },
      { mitigation_timeout: 100_000 },
      { counting_expression: 'nope' },
      { counting_expression: 5 },
    ),
    ...limits({ requests_to_origin: 'yes' }, { more: 1 }, { score_per_period: 5 }, { score_response_header_name: 'x' }),
    { ...rule, ratelimit: null },
    { ...rule, ratelimit: [] },
  ],
  http_request_transform: parameters(
    'rewrite',
    {},
    { uri: {} },
    { uri: { path: {} } },
    { uri: { path: { value: '' } } },
    { uri: { path: { value: 'relative' } } },
    { uri: { path: { value: '/a', expression: 'http.host' } } },
    { uri: { path: { expression: 'ssl' } } },
    { uri: { query: { expression: 'nope' } } },
    { headers: { 'X-A': { operation: 'set', value: 'a' } } },
  ),
  http_request_late_transform: parameters(
    'rewrite',
    { uri: { path: { value: '/a' } } },
    { headers: {} },
    { headers: { 'bad name': { operation: 'set', value: 'a' } } },
    { headers: { 'X-A': { operation: 'set' } } },
    { headers: { 'X-A': { operation: 'remove', value: 'a' } } },
    { headers: { 'X-A': { operation: 'set', value: 'a\r\nB: c' } } },
    { headers: { 'X-A': { operation: 'put', value: 'a' } } },
    { headers: { Cookie: { operation: 'set', value: 'a' } } },
    { headers: { 'CF-Ray': { operation: 'set', value: 'a' } } },
  ),
  http_request_dynamic_redirect: parameters(
    'redirect',
    {},
    { from_value: {} },
    { from_value: { target_url: {} } },
    { from_value: { target_url: { value: 'javascript:alert(1)' } } },
    { from_value: { target_url: { value: 'https://example.com' }, status_code: 200 } },
    { from_value: { target_url: { value: 'https://a', expression: 'http.host' } } },
    { from_list: { name: 'x', key: 'http.host' } },
  ),
  http_request_cache_settings: parameters(
    'set_cache_settings',
    {},
    { cache: 'yes' },
    { edge_ttl: { mode: 'override_origin' } },
    { edge_ttl: { mode: 'respect_origin', status_code_ttl: [{ value: 1 }] } },
    { cache_key: { custom_key: { query_string: { include: { list: ['a'] }, exclude: { list: ['b'] } } } } },
    { read_timeout: 5 },
  ),
  http_request_origin: parameters(
    'route',
    {},
    { host_header: '' },
    { origin: {} },
    { origin: { port: 0 } },
    { sni: {} },
  ),
  http_response_compression: parameters(
    'compress_response',
    {},
    { algorithms: [] },
    { algorithms: [{ name: 'auto' }, { name: 'gzip' }] },
  ),
  http_custom_errors: parameters(
    'serve_error',
    {},
    { content: 'a' },
    { content: 'a', asset_name: 'b', content_type: 'text/html' },
  ),
}

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

const count = Object.values(malformed).flat().length

test(`${count} malformed rules are each refused with pointer and reason, and nothing is stored`, async () => {
  assert.ok(count >= 200, String(count))
  for (const [phase, rules] of Object.entries(malformed)) {
    for (const wrong of rules) {
      const body = { rules: [{ ...rule, ref: 'fine' }, wrong].slice(phase === custom ? 0 : 1) }
      const url = `${house.baseUrl}/zones/${house.zone}/rulesets/phases/${phase}/entrypoint`
      const answer = await fetch(url, {
        method: 'PUT',
        headers: {
          'x-auth-email': house.credential.email,
          'x-auth-key': house.credential.key,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      const said = JSON.stringify(wrong)?.slice(0, 200)
      const { success, errors, result } = (await answer.json()) as {
        success: boolean
        result: unknown
        errors: { message: string; code: number; source?: { pointer: string } }[]
      }
      assert.equal(answer.status, 400, said)
      assert.deepEqual([success, result], [false, null], said)
      for (const error of errors) {
        assert.ok(error.message.length > 0 && error.code >= 1000, said)
        assert.match(error.source?.pointer ?? '', phase === custom ? /^\/rules\/1/ : /^\/rules\/0/, said)
      }
    }
  }
  const listed = await house.client.call(rulesets.listRulesets, { scope: house.zoneScope })
  assert.deepEqual(
    listed.map(({ id }) => id),
    [commonProtection.id],
  )
})

const send = (text: string) =>
  fetch(`${house.baseUrl}/zones/${house.zone}/rulesets/phases/${custom}/entrypoint`, {
    method: 'PUT',
    headers: {
      'x-auth-email': house.credential.email,
      'x-auth-key': house.credential.key,
      'content-type': 'application/json',
    },
    body: text,
  })

test('bodies made to hurt are refused quickly and shortly', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const hurtful: [string, string][] = [
    ['a value nested a hundred thousand deep', `{"rules":[{"action":"block","expression":${deep}}]}`],
    ['parameters nested so', `{"rules":[{"action":"block","expression":"true","action_parameters":${deep}}]}`],
    ['rules nested so', `{"rules":${deep}}`],
    ['a key for prototypes', '{"rules":[{"action":"block","expression":"true","__proto__":{"enabled":false}}]}'],
    ['a null character', '{"description":"a\\u0000b","rules":[]}'],
    ['a list of ten thousand wrong rules', JSON.stringify({ rules: Array(10_000).fill({ action: 'x' }) })],
    ['more rules than can be', JSON.stringify({ rules: Array(10_001).fill(rule) })],
    ['an object in the place of the list', '{"rules":{"0":{"action":"block"}}}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"rules"'],
    ['nothing', ''],
  ]
  for (const [what, text] of hurtful) {
    const begun = performance.now()
    const answer = await send(text)
    const body = await answer.text()
    assert.equal(answer.status, 400, `${what}: ${body.slice(0, 300)}`)
    assert.ok(body.length < 100_000, `${what} made an answer of ${body.length} bytes`)
    assert.ok(performance.now() - begun < 2_000, what)
  }
})
