import assert from 'node:assert/strict'
import { test } from 'node:test'
import { second } from '../base/index.ts'
import { listOf } from '../expression/index.ts'
import { deploy } from './deployment.ts'
import { evaluate } from './evaluate.ts'
import { makeCounters } from './ratelimit.ts'
import { type EdgeResponse, type RequestDraft, readRequest } from './request.ts'
import type { Kind, Rule, Ruleset } from './ruleset.ts'
import type { Step } from './trace.ts'

type Draft = Partial<Rule> & { ref: string }

const rule = (draft: Draft): Rule => ({
  id: draft.ref,
  version: '1',
  last_updated: '',
  action: 'log',
  expression: 'true',
  description: '',
  enabled: true,
  ...draft,
})

const ruleset = (kind: Kind, phase: string, rules: readonly Draft[], id = `${kind} ${phase}`): Ruleset => ({
  id,
  name: id,
  description: '',
  kind,
  phase,
  version: '1',
  last_updated: '',
  rules: rules.map(rule),
})

type Setting = {
  account?: Ruleset[]
  zone?: Ruleset[]
  library?: Ruleset[]
  request?: Partial<RequestDraft>
  response?: EdgeResponse
  counters?: ReturnType<typeof makeCounters>
  at?: bigint
}

function decide({ account = [], zone = [], library = [], request = {}, response, counters, at = 0n }: Setting) {
  const office = listOf('Ip', ['192.0.2.0/24'])
  const deployment = deploy({
    account,
    zone,
    find: (id) => library.find((one) => one.id === id),
    lists: (type, name) => (type === 'Ip' && name === 'office' ? office : undefined),
    redirectFrom: (list, address) =>
      list === 'moved' && address === 'https://example.com/old'
        ? { target_url: 'https://example.com/new', status_code: 301 }
        : undefined,
  })
  const read = readRequest({ method: 'GET', url: 'https://example.com/', ...request }, { at, id: 'ray' })
  assert.ok(read.ok)
  return evaluate(deployment, read.value, {
    counters: counters ?? makeCounters(),
    trace: true,
    ...(response ? { response } : {}),
  })
}

const custom = 'http_request_firewall_custom'
const managed = 'http_request_firewall_managed'
const isAdmin = 'http.request.uri.path eq "/admin"'

/** A trace on one line: what matched carries its action, what did not a dash; nesting in parentheses. */
const told = (steps: readonly Step[]): string =>
  steps
    .map((step) => {
      const inside = step.trace ? `(${told(step.trace)})` : ''
      if (step.type === 'phase') return `${step.step_name.replace(/^http_(request_)?/, '')}${inside}`
      if (step.type === 'ruleset') return `${step.kind}${inside}`
      return `${step.name}${step.matched ? `:${step.action}` : '-'}${inside}`
    })
    .join(' ')

const block = (ref: string, expression = 'true'): Draft => ({ ref, action: 'block', expression })
const skip = (ref: string, parameters: Record<string, unknown>): Draft => ({
  ref,
  action: 'skip',
  action_parameters: parameters,
})
const execute = (ref: string, id: string, overrides?: unknown): Draft => ({
  ref,
  action: 'execute',
  action_parameters: { id, ...(overrides ? { overrides } : {}) },
})

const set = ruleset(
  'managed',
  managed,
  [
    { ref: 'm1', action: 'log', categories: ['xss'] },
    { ref: 'm2', action: 'block', categories: ['sqli', 'php'] },
    { ref: 'm3', action: 'block', categories: ['rce'], enabled: false },
  ],
  'set',
)

const cases: { name: string; setting: Setting; trace: string; status?: number }[] = [
  {
    name: 'rules run from top to bottom and the first terminating one ends the request',
    setting: {
      zone: [ruleset('zone', custom, [{ ref: 'a' }, block('b'), block('c')]), ruleset('zone', managed, [{ ref: 'd' }])],
    },
    trace: 'firewall_custom(zone(a:log b:block))',
    status: 403,
  },
  {
    name: 'a disabled rule is not looked at, a rule whose expression is false does nothing',
    setting: {
      zone: [ruleset('zone', custom, [{ ...block('a'), enabled: false }, block('b', isAdmin), { ref: 'c' }])],
    },
    trace: 'firewall_custom(zone(b- c:log))',
  },
  {
    name: 'in a phase the account runs before the zone',
    setting: { account: [ruleset('root', managed, [{ ref: 'a' }])], zone: [ruleset('zone', managed, [{ ref: 'z' }])] },
    trace: 'firewall_managed(root(a:log) zone(z:log))',
  },
  {
    name: 'phases run in their order, whatever the order they were deployed in',
    setting: { zone: [ruleset('zone', managed, [{ ref: 'late' }]), ruleset('zone', custom, [{ ref: 'early' }])] },
    trace: 'firewall_custom(zone(early:log)) firewall_managed(zone(late:log))',
  },
  {
    name: 'an executed ruleset runs in place, and evaluation goes on behind it',
    setting: {
      account: [ruleset('root', custom, [execute('x', 'shared'), execute('y', 'gone')])],
      library: [ruleset('custom', custom, [{ ref: 's1' }, { ref: 's2' }], 'shared')],
    },
    trace: 'firewall_custom(root(x:execute(custom(s1:log s2:log)) y:execute))',
  },
  {
    name: 'a terminating action inside an executed ruleset ends the request',
    setting: { zone: [ruleset('zone', managed, [execute('x', 'set'), { ref: 'after' }])], library: [set] },
    trace: 'firewall_managed(zone(x:execute(managed(m1:log m2:block))))',
    status: 403,
  },
  {
    name: 'an override of a rule beats one of a tag, which beats one of the ruleset',
    setting: {
      zone: [
        ruleset('zone', managed, [
          execute('x', 'set', {
            action: 'managed_challenge',
            categories: [{ category: 'sqli', action: 'js_challenge' }],
            rules: [{ id: 'm2', action: 'log' }],
          }),
        ]),
      ],
      library: [{ ...set, rules: set.rules.slice(1) }],
    },
    trace: 'firewall_managed(zone(x:execute(managed(m2:log))))',
  },
  {
    name: 'properties are overridden one by one: enabled by a tag, action by the rule',
    setting: {
      zone: [
        ruleset('zone', managed, [
          execute('x', 'set', {
            categories: [
              { category: 'sqli', enabled: false },
              { category: 'rce', enabled: true },
            ],
            rules: [{ id: 'm3', action: 'log' }],
          }),
        ]),
      ],
      library: [set],
    },
    trace: 'firewall_managed(zone(x:execute(managed(m1:log m3:log))))',
  },
  {
    name: 'of several tags that fit a rule the last listed wins',
    setting: {
      zone: [
        ruleset('zone', managed, [
          execute('x', 'set', {
            categories: [
              { category: 'sqli', action: 'block' },
              { category: 'php', action: 'log' },
            ],
          }),
        ]),
      ],
      library: [set],
    },
    trace: 'firewall_managed(zone(x:execute(managed(m1:log m2:log))))',
  },
  {
    name: 'an action for the whole ruleset switches no disabled rule on, enabled does',
    setting: {
      zone: [
        ruleset('zone', managed, [
          execute('x', 'set', { action: 'log' }),
          execute('y', 'set', { action: 'log', enabled: true }),
        ]),
      ],
      library: [set],
    },
    trace: 'firewall_managed(zone(x:execute(managed(m1:log m2:log)) y:execute(managed(m1:log m2:log m3:log))))',
  },
  {
    name: 'skip of the current ruleset leaves out the rest of it, not the next phase',
    setting: {
      zone: [
        ruleset('zone', custom, [skip('s', { ruleset: 'current' }), block('b')]),
        ruleset('zone', managed, [{ ref: 'm' }]),
      ],
    },
    trace: 'firewall_custom(zone(s:skip)) firewall_managed(zone(m:log))',
  },
  {
    name: 'in a custom ruleset the current ruleset is that one, and the entry point goes on',
    setting: {
      account: [ruleset('root', custom, [execute('x', 'shared'), { ref: 'after' }])],
      library: [ruleset('custom', custom, [skip('s', { ruleset: 'current' }), block('b')], 'shared')],
    },
    trace: 'firewall_custom(root(x:execute(custom(s:skip)) after:log))',
  },
  {
    name: 'skipped rulesets are not executed, but rules before the skip were',
    setting: {
      zone: [ruleset('zone', managed, [{ ref: 'first' }, skip('s', { rulesets: ['set'] }), execute('x', 'set')])],
      library: [set],
    },
    trace: 'firewall_managed(zone(first:log s:skip x-))',
  },
  {
    name: 'a skipped rule leaves the rest of its ruleset running, and beats an override',
    setting: {
      zone: [
        ruleset('zone', managed, [
          skip('s', { rules: { set: ['m2'] } }),
          execute('x', 'set', { rules: [{ id: 'm2', action: 'block' }] }),
        ]),
      ],
      library: [set],
    },
    trace: 'firewall_managed(zone(s:skip x:execute(managed(m1:log))))',
  },
  {
    name: 'a skipped phase does not run at that level',
    setting: {
      zone: [ruleset('zone', custom, [skip('s', { phases: [managed] })]), ruleset('zone', managed, [block('z')])],
      account: [ruleset('root', managed, [{ ref: 'a' }])],
    },
    trace: 'firewall_custom(zone(s:skip)) firewall_managed(root(a:log))',
  },
  {
    name: 'a skip of the account does not touch the zone',
    setting: {
      account: [ruleset('root', managed, [skip('s', { rulesets: ['set'] }), execute('x', 'set')])],
      zone: [ruleset('zone', managed, [execute('y', 'set')])],
      library: [set],
    },
    trace: 'firewall_managed(root(s:skip x-) zone(y:execute(managed(m1:log m2:block))))',
    status: 403,
  },
  {
    name: 'scores add up within a ruleset and the threshold acts on the sum',
    setting: {
      zone: [ruleset('zone', managed, [execute('x', 'scored')])],
      library: [
        ruleset(
          'managed',
          managed,
          [
            { ref: 'p', action: 'score', action_parameters: { increment: 3 } },
            { ref: 'q', action: 'score', action_parameters: { increment: 4 } },
            { ref: 'low', action: 'block', score_threshold: 8 },
            { ref: 'high', action: 'block', score_threshold: 7 },
          ],
          'scored',
        ),
      ],
    },
    trace: 'firewall_managed(zone(x:execute(managed(p:score q:score low- high:block))))',
    status: 403,
  },
  {
    name: 'a rewrite is seen by later phases, not by later rules of its own',
    setting: {
      request: { url: 'https://example.com/old?q=1' },
      zone: [
        ruleset('zone', 'http_request_transform', [
          {
            ref: 'r',
            action: 'rewrite',
            action_parameters: { uri: { path: { expression: 'concat("/new", http.request.uri.path)' } } },
          },
          {
            ref: 'same',
            action: 'rewrite',
            expression: 'http.request.uri.path eq "/new/old"',
            action_parameters: { uri: { query: { value: '' } } },
          },
        ]),
        ruleset('zone', custom, [
          block('b', 'http.request.uri.path eq "/new/old" and raw.http.request.uri.path eq "/old"'),
        ]),
      ],
    },
    trace: 'transform(zone(r:rewrite same-)) firewall_custom(zone(b:block))',
    status: 403,
  },
  {
    name: 'the first redirect wins',
    setting: {
      zone: [
        ruleset('zone', 'http_request_dynamic_redirect', [
          {
            ref: 'a',
            action: 'redirect',
            action_parameters: { from_value: { target_url: { value: 'https://a.example/' } } },
          },
          {
            ref: 'b',
            action: 'redirect',
            action_parameters: { from_value: { target_url: { value: 'https://b.example/' } } },
          },
        ]),
      ],
    },
    trace: 'dynamic_redirect(zone(a:redirect))',
    status: 302,
  },
  {
    name: 'a bulk redirect answers from its list, and is as if unmatched when the list has nothing',
    setting: {
      request: { url: 'https://example.com/old' },
      account: [
        ruleset('root', 'http_request_redirect', [
          { ref: 'none', action: 'redirect', action_parameters: { from_list: { name: 'moved', key: 'http.host' } } },
          {
            ref: 'some',
            action: 'redirect',
            action_parameters: { from_list: { name: 'moved', key: 'http.request.full_uri' } },
          },
        ]),
      ],
    },
    trace: 'redirect(root(none- some:redirect))',
    status: 301,
  },
  {
    name: 'a list decides who comes in',
    setting: {
      request: { url: 'https://example.com/admin', ip: '192.0.2.7' },
      zone: [
        ruleset('zone', custom, [
          block('b', `${isAdmin} and not ip.src in $office`),
          { ref: 'in', expression: 'ip.src in $office' },
        ]),
      ],
    },
    trace: 'firewall_custom(zone(b- in:log))',
  },
]

for (const { name, setting, trace, status } of cases) {
  test(name, () => {
    const decision = decide(setting)
    assert.equal(told(decision.trace ?? []), trace)
    assert.equal(decision.answer?.status, status)
  })
}

test('for settings of one name the last match wins, others add up', () => {
  const { passage } = decide({
    zone: [
      ruleset('zone', 'http_config_settings', [
        { ref: 'a', action: 'set_config', action_parameters: { ssl: 'full', bic: true } },
        { ref: 'b', action: 'set_config', action_parameters: { ssl: 'strict' } },
      ]),
      ruleset('zone', 'http_request_origin', [
        { ref: 'c', action: 'route', action_parameters: { origin: { host: 'a.example', port: 81 } } },
        {
          ref: 'd',
          action: 'route',
          action_parameters: { origin: { host: 'b.example' }, sni: { value: 'c.example' } },
        },
      ]),
    ],
  })
  assert.deepEqual(passage.settings, { ssl: 'strict', bic: true })
  assert.deepEqual(passage.origin, { host: 'b.example', port: 81, sni: 'c.example' })
})

test('headers are changed for the origin and for the client', () => {
  const decision = decide({
    request: { headers: { 'X-Old': 'gone', Accept: 'a' } },
    response: { status: 200, headers: [['Server', 'origin']] },
    zone: [
      ruleset('zone', 'http_request_late_transform', [
        {
          ref: 'h',
          action: 'rewrite',
          action_parameters: {
            headers: {
              'X-Old': { operation: 'remove' },
              'X-Host': { operation: 'set', expression: 'http.host' },
              'X-Missing': { operation: 'set', expression: 'http.request.headers["nothing"][0]' },
            },
          },
        },
      ]),
      ruleset('zone', 'http_response_headers_transform', [
        {
          ref: 'r',
          action: 'rewrite',
          action_parameters: {
            headers: { Server: { operation: 'set', value: 'spillway' }, Vary: { operation: 'add', value: 'Accept' } },
          },
        },
      ]),
    ],
  })
  assert.deepEqual(decision.request.headers, [
    ['Host', 'example.com'],
    ['Accept', 'a'],
    ['X-Host', 'example.com'],
  ])
  assert.deepEqual(decision.response?.headers, [
    ['Server', 'spillway'],
    ['Vary', 'Accept'],
  ])
})

test('a computed header that would break the line is left out', () => {
  const { passage } = decide({
    request: { url: 'https://example.com/?x=%0d%0aSet-Cookie:a' },
    zone: [
      ruleset('zone', 'http_request_late_transform', [
        {
          ref: 'h',
          action: 'rewrite',
          action_parameters: {
            headers: { 'X-Q': { operation: 'set', expression: 'url_decode(http.request.uri.query)' } },
          },
        },
      ]),
    ],
  })
  assert.deepEqual(passage.requestHeaders, [])
})

test('response phases run only when there is an answer, and custom errors replace it', () => {
  const zone = [
    ruleset('zone', 'http_custom_errors', [
      {
        ref: 'e',
        action: 'serve_error',
        expression: 'http.response.code ge 500',
        action_parameters: { content: 'sorry', content_type: 'text/plain' },
      },
    ]),
  ]
  assert.equal(decide({ zone }).answer, undefined)
  const { answer } = decide({ zone, response: { status: 502, headers: [] } })
  assert.deepEqual([answer?.status, answer?.body], [502, 'sorry'])
})

test('a block answers with the response of its rule', () => {
  const response = { status_code: 418, content: '{}', content_type: 'application/json' }
  const { answer } = decide({
    zone: [ruleset('zone', custom, [{ ref: 'b', action: 'block', action_parameters: { response } }])],
  })
  assert.deepEqual([answer?.status, answer?.body, answer?.headers], [418, '{}', { 'content-type': 'application/json' }])
})

test('events are told for security actions and for skips that log', () => {
  const { matches } = decide({
    zone: [
      ruleset('zone', custom, [
        { ref: 'l' },
        { ref: 'p', action: 'score', action_parameters: { increment: 1 } },
        { ...skip('quiet', { products: ['waf'] }), logging: { enabled: false } },
        { ...skip('loud', { products: ['bic', 'waf'] }), logging: { enabled: true } },
      ]),
    ],
  })
  assert.deepEqual(
    matches.map(({ rule, logs }) => [rule.ref, logs]),
    [
      ['l', true],
      ['p', false],
      ['quiet', false],
      ['loud', true],
    ],
  )
})

const limit = {
  characteristics: ['cf.colo.id', 'ip.src'],
  period: 60,
  requests_per_period: 2,
  mitigation_timeout: 0,
  requests_to_origin: false,
}
const limited = (ratelimit: Partial<NonNullable<Rule['ratelimit']>>, draft: Partial<Rule> = {}) => [
  ruleset('zone', 'http_ratelimit', [
    { ref: 'rate', action: 'block', ...draft, ratelimit: { ...limit, ...ratelimit } },
  ]),
]

/** Sends requests at these seconds and tells which were acted on. */
function acted(
  zone: Ruleset[],
  seconds: readonly number[],
  request: (at: number) => Partial<RequestDraft> = () => ({}),
) {
  const counters = makeCounters()
  return seconds.filter(
    (at) => decide({ zone, counters, at: BigInt(at) * second, request: request(at) }).answer !== undefined,
  )
}

test('two requests a minute let two through and act on the third, until the period ends', () => {
  assert.deepEqual(acted(limited({}), [0, 1, 2, 3, 59, 60, 61, 62]), [2, 3, 59, 62])
})

test('a mitigation timeout acts on every request of the key for that long', () => {
  assert.deepEqual(
    acted(limited({ period: 10, mitigation_timeout: 60 }), [0, 1, 2, 11, 40, 61, 62, 63]),
    [2, 11, 40, 61],
  )
})

test('each combination of characteristics has a counter of its own', () => {
  const from = (at: number) => ({ ip: at % 2 ? '192.0.2.1' : '192.0.2.2' })
  assert.deepEqual(acted(limited({}), [0, 1, 2, 3, 4, 5], from), [4, 5])
})

test('a missing value and an empty one are counted apart', () => {
  const zone = limited({ requests_per_period: 1, characteristics: ['cf.colo.id', 'http.request.headers["x-key"][0]'] })
  const header = (at: number): Partial<RequestDraft> => (at < 2 ? {} : { headers: { 'X-Key': '' } })
  assert.deepEqual(acted(zone, [0, 1, 2, 3], header), [1, 3])
})

test('a counting expression counts other requests than the rule acts on', () => {
  const zone = limited(
    { counting_expression: 'http.request.method eq "POST"' },
    { expression: 'http.request.uri.path eq "/login"' },
  )
  const request = (at: number) => ({
    method: at < 3 ? 'POST' : 'GET',
    url: `https://example.com/${at < 2 ? 'other' : 'login'}`,
  })
  assert.deepEqual(acted(zone, [0, 1, 2, 3], request), [2, 3])
})

test('counting by the answer happens after it', () => {
  const counters = makeCounters()
  const zone = limited({ counting_expression: 'http.response.code eq 401' })
  const ask = (status: number) => decide({ zone, counters, response: { status, headers: [] } }).answer?.status
  assert.deepEqual([200, 401, 401, 200].map(ask), [undefined, undefined, undefined, 429])
})

test('an origin may say in a header how much a request costs', () => {
  const counters = makeCounters()
  const { requests_per_period: _, ...rest } = limit
  const ratelimit = { ...rest, score_per_period: 10, score_response_header_name: 'X-Cost' }
  const zone = [ruleset('zone', 'http_ratelimit', [{ ref: 'rate', action: 'block', ratelimit }])]
  const ask = (cost: string) =>
    decide({ zone, counters, response: { status: 200, headers: [['x-cost', cost]] } }).answer?.status
  assert.deepEqual(['4', '6', '1'].map(ask), [undefined, undefined, 429])
})

test('only requests that reach the origin are counted when the rule says so', () => {
  const counters = makeCounters()
  const zone = [
    ...limited({ requests_per_period: 1, requests_to_origin: true }),
    ruleset('zone', managed, [block('b', isAdmin)]),
  ]
  const ask = (path: string) =>
    decide({ zone, counters, request: { url: `https://example.com${path}` } }).answer?.status
  assert.deepEqual(['/admin', '/admin', '/', '/'].map(ask), [403, 403, undefined, 429])
})

test('counters forget the oldest keys rather than fill the memory', () => {
  const counters = makeCounters({ most: 2 })
  for (const key of ['a', 'b', 'c']) counters.count(key, limit, 1, 0n)
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => counters.counted(key, 0n)),
    [0, 1, 1],
  )
})

test('a trace shows the values that an expression looked at, but not those of managed rules', () => {
  const { trace } = decide({
    zone: [
      ruleset('zone', custom, [block('b', 'http.host eq "x" or ip.src in $office')]),
      ruleset('zone', managed, [execute('x', 'set')]),
    ],
    library: [set],
  })
  const own = trace?.[0]?.trace?.[0]?.trace?.[0]
  assert.deepEqual(own?.values, { 'http.host': 'example.com', 'ip.src': '127.0.0.1' })
  const theirs = trace?.[1]?.trace?.[0]?.trace?.[0]?.trace?.[0]?.trace?.[0]
  assert.equal(theirs?.name, 'm1')
  assert.equal(theirs?.expression, undefined)
  assert.equal(theirs?.values, undefined)
})
