import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeKind, judgeList, judgeRuleBody, judgeRules, type Where } from './judge.ts'
import { findPhase } from './phases/index.ts'
import type { Kind, Rule, Ruleset } from './ruleset.ts'

const target: Ruleset = {
  id: 'aa'.repeat(16),
  name: 'target',
  description: '',
  kind: 'managed',
  phase: 'http_request_firewall_managed',
  version: '3',
  last_updated: '',
  rules: [
    {
      id: 'bb'.repeat(16),
      ref: 'b',
      version: '1',
      last_updated: '',
      action: 'block',
      expression: 'true',
      description: '',
      enabled: true,
      categories: ['sqli'],
    },
  ],
}

const where = (phase: string, kind: Kind = 'zone'): Where => ({
  phase: findPhase(phase)!,
  kind,
  scope: kind === 'zone' ? 'zone' : 'account',
  lists: (name) => ({ office: 'ip', partners: 'asn' })[name],
  findRuleset: (id, version) => (id === target.id && (version ?? '3') === '3' ? target : undefined),
})

function reasonsFor(phase: string, rule: unknown, kind: Kind = 'zone') {
  const judged = judgeRules(where(phase, kind), [rule])
  return judged.ok ? [] : judged.reasons.map(({ pointer, message, code }) => ({ pointer, message, code }))
}

const custom = 'http_request_firewall_custom'
const managed = 'http_request_firewall_managed'
const rate = { characteristics: ['cf.colo.id', 'ip.src'], period: 60, requests_per_period: 5 }

/** What existing clients know, word for word: [phase, rule, code, pointer, message]. */
const known: [string, unknown, number, string, string | RegExp][] = [
  [
    custom,
    { action: 'block', expression: '' },
    20125,
    '/rules/0/expression',
    "'' is not a valid value for expression because the expression cannot be blank",
  ],
  [
    custom,
    { action: 'block', expression: `http.host eq "${'a'.repeat(5000)}"` },
    20127,
    '/rules/0/expression',
    'expression size 5015 exceeded maximum 4096',
  ],
  [
    custom,
    { action: 'block', expression: 'http.hots eq "a"' },
    20126,
    '/rules/0/expression',
    /^'http.hots eq "a"' is not a valid value for expression because could not parse filter expression: Filter parsing error \(1:1\):\n/,
  ],
  [
    managed,
    { action: 'skip', action_parameters: { phases: ['http_request_sbfm'] }, expression: 'true' },
    20120,
    '/rules/0/action_parameters/phases/0',
    "skip action parameter phase 'http_request_sbfm' is not authorized",
  ],
  [
    'http_ratelimit',
    { action: 'block', expression: 'true', ratelimit: { ...rate, characteristics: ['ip.src'] } },
    20155,
    '/rules/0/ratelimit/characteristics',
    /^characteristics field is missing 'cf.colo.id'/,
  ],
  [
    custom,
    { action_parameters: {}, expression: 'true' },
    0,
    '/rules/0/action',
    'action is required for action parameters',
  ],
  [
    custom,
    { action: 'block', expression: 'true', colour: 'red' },
    0,
    '/rules/0/colour',
    'invalid JSON: unknown field "colour"',
  ],
  [
    custom,
    { action: 'log', action_parameters: { x: 1 }, expression: 'true' },
    0,
    '/rules/0/action_parameters/x',
    'invalid JSON: unknown field "x"',
  ],
  [
    custom,
    { action: 'block', expression: 'ip.src in $nowhere' },
    0,
    '/rules/0/expression',
    "'$nowhere' is not a valid value for expression because the account has no list of this name",
  ],
  [
    custom,
    { action: 'block', expression: 'ip.src in $partners' },
    0,
    '/rules/0/expression',
    "'$partners' is not a valid value for expression because the list holds items of kind asn, but is asked for a value of type Ip",
  ],
  [
    managed,
    { action: 'execute', action_parameters: { id: 'cc'.repeat(16) }, expression: 'true' },
    0,
    '/rules/0/action_parameters/id',
    /there is no such ruleset$/,
  ],
  [
    custom,
    { action: 'execute', action_parameters: { id: target.id }, expression: 'true' },
    0,
    '/rules/0/action_parameters/id',
    /belongs to the phase http_request_firewall_managed/,
  ],
  [
    managed,
    { action: 'execute', action_parameters: { id: target.id, version: '2' }, expression: 'true' },
    0,
    '/rules/0/action_parameters/version',
    /no such version$/,
  ],
  [
    managed,
    {
      action: 'execute',
      action_parameters: { id: target.id, overrides: { categories: [{ category: 'xss', enabled: false }] } },
      expression: 'true',
    },
    0,
    '/rules/0/action_parameters/overrides/categories/0/category',
    /no rule of the ruleset/,
  ],
]

for (const [phase, rule, code, pointer, message] of known) {
  test(`${pointer} ${code || ''}: ${String(message).slice(0, 70)}`, () => {
    const [first, ...more] = reasonsFor(phase, rule)
    assert.deepEqual(more, [])
    assert.equal(first?.pointer, pointer)
    assert.equal(first?.code ?? 0, code)
    if (typeof message === 'string') assert.equal(first?.message, message)
    else assert.match(first?.message ?? '', message)
  })
}

test('all reasons are told at once, each with its place', () => {
  const judged = judgeRules(where(custom), [
    { action: 'redirect', expression: 'ssl' },
    { action: 'block', action_parameters: { response: { status_code: 200 } }, expression: 'http.host', enabled: 'yes' },
    7,
  ])
  assert.ok(!judged.ok)
  assert.deepEqual(
    judged.reasons.map(({ pointer }) => pointer),
    [
      '/rules/0/action',
      '/rules/0/action_parameters',
      '/rules/1/enabled',
      '/rules/1/action_parameters/response/status_code',
      '/rules/1/action_parameters/response/content',
      '/rules/1/action_parameters/response/content_type',
      '/rules/1/expression',
      '/rules/2',
    ],
  )
})

test('defaults are filled in as clients expect to read them back', () => {
  const judged = judgeRules(where('http_request_dynamic_redirect'), [
    {
      action: 'redirect',
      action_parameters: { from_value: { target_url: { value: 'https://example.com/' } } },
      expression: 'true',
    },
  ])
  assert.ok(judged.ok)
  assert.deepEqual(judged.value[0]?.definition, {
    action: 'redirect',
    action_parameters: { from_value: { target_url: { value: 'https://example.com/' }, preserve_query_string: false } },
    expression: 'true',
    description: '',
    enabled: true,
  })
  const limited = judgeRules(where('http_ratelimit'), [
    { action: 'block', expression: 'true', ratelimit: { ...rate, counting_expression: '' } },
  ])
  assert.ok(limited.ok)
  assert.deepEqual(limited.value[0]?.definition?.ratelimit, {
    ...rate,
    requests_to_origin: false,
    mitigation_timeout: 60,
  })
})

test('a counting expression may look at the answer, the expression of the rule may not', () => {
  const rule = {
    action: 'block',
    expression: 'true',
    ratelimit: { ...rate, counting_expression: 'http.response.code eq 401' },
  }
  assert.deepEqual(reasonsFor('http_ratelimit', rule), [])
  const wrong = reasonsFor('http_ratelimit', { ...rule, expression: 'http.response.code eq 401' })
  assert.deepEqual(
    wrong.map(({ pointer }) => pointer),
    ['/rules/0/expression'],
  )
})

test('a position has exactly one key', () => {
  const rule = { action: 'block', expression: 'true' }
  for (const position of [
    {},
    { index: 1, before: '' },
    { index: 0 },
    { index: 1.5 },
    { before: 'x' },
    { on: 1 },
    null,
    [],
  ]) {
    const judged = judgeRuleBody(where(custom), { ...rule, position })
    assert.equal(judged.ok, false, JSON.stringify(position))
  }
  for (const position of [{ index: 1 }, { before: '' }, { after: 'ab'.repeat(16) }])
    assert.equal(judgeRuleBody(where(custom), { ...rule, position }).ok, true)
})

test('kinds live where they may', () => {
  const refused = (phase: string, kind: Kind, scope: 'account' | 'zone') =>
    judgeKind({ phase: findPhase(phase)!, kind, scope }).length > 0
  assert.equal(refused(custom, 'zone', 'zone'), false)
  assert.equal(refused(custom, 'zone', 'account'), true)
  assert.equal(refused(custom, 'root', 'zone'), true)
  assert.equal(refused(custom, 'custom', 'account'), false)
  assert.equal(refused('http_request_transform', 'custom', 'account'), true)
  assert.equal(refused('http_request_transform', 'root', 'account'), true)
  assert.equal(refused('magic_transit', 'root', 'account'), false)
  assert.equal(refused(managed, 'managed', 'account'), true)
})

test('a zone executes a managed ruleset once, an account as often as it likes', () => {
  const rule = (id: string): Rule => ({
    id,
    ref: id,
    version: '1',
    last_updated: '',
    action: 'execute',
    action_parameters: { id: target.id },
    expression: 'true',
    description: '',
    enabled: true,
  })
  assert.deepEqual(judgeList(where(managed), [rule('1'), rule('2')]), [
    {
      message: 'more than one rule is trying to execute the same managed ruleset',
      pointer: '/rules/1/action_parameters/id',
      code: 20014,
    },
  ])
  assert.deepEqual(judgeList(where(managed, 'root'), [rule('1'), rule('2')]), [])
})

test('more rules than the phase holds are refused, with the numbers', () => {
  const rules = Array.from({ length: 101 }, (_, index) => ({ id: String(index), action: 'block' }) as Rule)
  assert.deepEqual(judgeList(where('http_request_sbfm'), rules), [
    {
      message: 'exceeded the maximum number of rules in the phase http_request_sbfm: 101 out of 100',
      pointer: '/rules',
      code: 50001,
    },
  ])
})
