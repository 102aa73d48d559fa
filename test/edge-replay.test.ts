/** Rules tried on stored requests: what the answer tells, and that the store agrees with the rules themselves. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { edge, lists, logs, Refused, rulesets } from '../src/contract/index.ts'
import { recorded } from '../src/edge/recorded.ts'
import { translate } from '../src/edge/translate.ts'
import { compile, fields, fullScheme, judge, listOf, rangeOf } from '../src/expression/index.ts'
import { append, tally } from '../src/logs/index.ts'
import { tableOf } from '../src/rulesets/fields.ts'
import { commonProtection, readRequest } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'
import { aScope, bodyOf, openTestStore, type TestStore } from './logs-store.ts'
import { say } from './terminal.ts'

let house: House
let store: TestStore
before(async () => {
  house = await startHouse()
  store = await openTestStore()
  const { client, zoneScope: scope, accountScope } = house
  const office = await client.call(lists.createList, { scope: accountScope, body: { name: 'office', kind: 'ip' } })
  const params = { list_id: office.id }
  await client.call(lists.addItems, { scope: accountScope, params, body: [{ ip: '192.0.2.0/24' }] })
  const visit = (number: number) => ({
    RayID: `ray-${number}`,
    ClientIP: number % 4 === 0 ? '192.0.2.7' : `198.51.100.${number}`,
    ClientCountry: number % 2 === 0 ? 'de' : 'FR',
    ClientRequestHost: 'shop.example.com',
    ClientRequestMethod: 'GET',
    ClientRequestScheme: 'https',
    ClientRequestPath: number % 5 === 0 ? '/admin' : `/page/${number % 3}`,
    ClientRequestURI: number % 5 === 0 ? '/admin?x=1' : `/page/${number % 3}`,
    EdgeStartTimestamp: Date.now() * 1e6,
  })
  await client.call(logs.ingest, {
    scope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(Array.from({ length: 100 }, (_, number) => JSON.stringify(visit(number))).join('\n')),
  })
  await wait(50)
})
after(async () => {
  await house.stop()
  await store.close()
})

const replayed = (body: object) => house.client.call(edge.replayRules, { scope: house.zoneScope, body })

test('an expression is answered with count, share, sample and the commonest values', async () => {
  const told = await replayed({
    expression: 'starts_with(http.request.uri.path, "/admin") and not ip.src in $office',
  })
  assert.deepEqual([told.total, told.count, told.share], [100, 15, 0.15])
  assert.deepEqual(told.top.path, [{ value: '/admin', count: 15 }])
  assert.equal(told.top.address.length, 10)
  assert.equal(told.sample.length, 10)
  assert.equal(told.sample[0]?.ClientRequestURI, '/admin?x=1')
  assert.deepEqual([told.fields_not_recorded, told.functions_not_replayed], [[], []])
})

test('a country is found however the log spells it, in an account over all its zones', async () => {
  const body = { rule: { action: 'block', expression: 'ip.geoip.country eq "DE"' } }
  const told = await house.client.call(edge.replayRules, { scope: house.accountScope, body })
  assert.deepEqual([told.total, told.count], [100, 50])
})

test('a ruleset is answered rule by rule, a stored one through what it executes', async () => {
  const rules = [{ expression: 'ssl', description: 'all' }, { expression: 'http.request.method eq "POST"' }]
  const drafted = await replayed({ ruleset: { rules } })
  assert.deepEqual([drafted.count, drafted.rules.map((rule) => rule.count)], [100, [100, 0]])
  const entry = await house.client.call(rulesets.updateEntryPoint, {
    scope: house.zoneScope,
    params: { phase: 'http_request_firewall_managed' },
    body: { rules: [{ action: 'execute', action_parameters: { id: commonProtection.id }, expression: 'true' }] },
  })
  const stored = await replayed({ ruleset: entry?.id })
  assert.ok(stored.rules.length > 5)
  assert.ok(
    stored.rules.every((rule) => rule.expression === ''),
    'what managed rules look for stays hidden',
  )
})

test('fields that records do not hold, and functions they cannot answer, are named', async () => {
  const told = await replayed({
    expression: 'any(http.request.headers["a"][*] == "1") or url_decode(http.host) eq "x" or cf.threat_score gt 3',
  })
  assert.deepEqual([told.count, told.share], [null, null])
  assert.deepEqual(told.fields_not_recorded, ['cf.threat_score', 'http.request.headers'])
  assert.deepEqual(told.functions_not_replayed, ['any()', 'url_decode()'])
})

test('what cannot be replayed is refused with its place', async () => {
  for (const [body, pointer] of [
    [{}, '/expression'],
    [{ expression: 'ssl', rule: { expression: 'ssl' } }, '/expression'],
    [{ expression: 'nonsense' }, '/expression'],
    [{ ruleset: { rules: [{ expression: 'ssl' }, { expression: '' }] } }, '/ruleset/rules/1/expression'],
    [{ expression: 'ip.src in $nobody' }, '/expression'],
    [{ expression: 'ssl', start: 'yesterday' }, '/start'],
    [{ expression: 'ssl', start: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' }, '/start'],
    [{ expression: 'ssl', start: '2001-01-01T00:00:00Z' }, '/start'],
  ] as const) {
    const error = await replayed(body).catch((reason: unknown) => reason)
    assert.ok(error instanceof Refused, JSON.stringify(body))
    assert.deepEqual([error.status, error.errors[0]?.source?.pointer], [400, pointer])
  }
})

test('the command line tells the count, the rules and the commonest values', async () => {
  const argv = ['replay', 'http.request.uri.path eq "/admin"', '--url', house.baseUrl, '--data', house.data]
  const { out, code } = await say(argv)
  assert.equal(code, 0)
  assert.deepEqual(out.split('\n').slice(0, 3), ['20 of 100 requests match (20.00 %)', 'by path', '  20  /admin'])
  assert.equal((await say([...argv, '--ruleset', 'x'])).code, 2)
})

test('every field of the table is one of the language, reads what records hold, and stands on the page', async () => {
  const page = await readFile(join(import.meta.dirname, '../docs/edge/README.md'), 'utf8')
  const names = new Set(fields.map((field) => field.name))
  const dataset = store.needs.datasets.find('http_requests', 'zone')
  assert.ok(dataset)
  for (const [name, { says, term }] of Object.entries(recorded)) {
    assert.ok(names.has(name), name)
    assert.ok(page.includes(`| \`${name}\` | ${says} |`), `${name} is not on the page`)
    await tally(store.needs, { dataset, scopes: [aScope()], window: { from: 0n, to: 1n } }, [
      { kind: 'apply', op: 'eq', to: [term, term] },
    ])
  }
})

// The rules' own reading of a request is the measure: the record is turned back into the request that it tells of.
const words = ['', 'a', 'ab', 'aB', 'é', 'b*c', '/admin', "x'y", '\\', 'ab\nb', '€']
const addresses = ['192.0.2.1', '203.0.113.9', '2001:db8::1', '::ffff:192.0.2.1', '', 'no address']
const anyRecord = fc.record({
  ClientRequestHost: fc.constantFrom('a', 'ab', 'Ab', 'shop.example.com'),
  ClientRequestPath: fc.constantFrom(...words).map((word) => `/${word}`),
  query: fc.constantFrom('', 'a=1', 'a?b', 'é'),
  ClientRequestScheme: fc.constantFrom('http', 'https'),
  ClientRequestUserAgent: fc.constantFrom(...words),
  ClientIP: fc.constantFrom(...addresses),
  ClientCountry: fc.constantFrom('DE', 'de', 'T1', ''),
  ClientASN: fc.constantFrom(0, 1, 64_500, 4_294_967_295),
  BotScore: fc.integer({ min: 0, max: 99 }),
})
type Stored = typeof anyRecord extends fc.Arbitrary<infer T> ? T : never

const texts = ['http.host', 'http.user_agent', 'http.request.uri.path', 'http.request.uri.query', 'http.request.uri']
const quoted = fc.constantFrom(...words).map((word) => JSON.stringify(word).replace('\\n', '\\x0a'))
const textSide = fc.oneof(
  fc.constantFrom(...texts, 'http.request.full_uri', 'ip.src.country'),
  fc.constantFrom(...texts).map((name) => `lower(${name})`),
  fc.constantFrom(...texts).map((name) => `upper(${name})`),
  fc.tuple(fc.constantFrom(...texts), quoted).map(([name, word]) => `concat(${name}, ${word})`),
)
const order = fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge')
const patterns = ['a', '^/a', 'b$', '(?i)AB', 'a.b', '[^a]+$', '^.{2}$', '(a|b)+', '\\\\bx', '^/.$', 'a\\\\nb', '^$']
const comparison = fc.oneof(
  fc.tuple(textSide, order, quoted).map((parts) => parts.join(' ')),
  fc.tuple(textSide, fc.constant('contains'), quoted).map((parts) => parts.join(' ')),
  fc.tuple(textSide, fc.constantFrom(...patterns)).map(([side, pattern]) => `${side} matches "${pattern}"`),
  fc
    .tuple(
      textSide,
      fc.constantFrom('wildcard', 'strict wildcard'),
      fc.constantFrom('*', '/A*', '*b', '*.*', 'é', '/é'),
    )
    .map(([side, word, glob]) => `${side} ${word} "${glob}"`),
  fc.tuple(textSide, fc.array(quoted, { maxLength: 4 })).map(([side, items]) => `${side} in {${items.join(' ')}}`),
  fc.tuple(fc.constantFrom(...texts), quoted).map(([name, word]) => `starts_with(${name}, ${word})`),
  fc.tuple(fc.constantFrom(...texts), quoted).map(([name, word]) => `ends_with(${name}, ${word})`),
  fc
    .tuple(fc.constantFrom('ip.src.asnum', 'cf.bot_management.score', 'len(http.user_agent)'), order, fc.nat(100))
    .map((parts) => parts.join(' ')),
  fc.constantFrom(
    'ip.src.asnum in {1 64000..65000}',
    'cf.bot_management.score & 3',
    'ip.src in {192.0.2.0/24 2001:db8::/32}',
    'ip.src in {::/0}',
    'ip.src in $few',
    'ip.src in $many',
    'ssl',
    'http.host eq http.user_agent',
  ),
  fc
    .tuple(order, fc.constantFrom('192.0.2.1', '0.0.0.0', '255.255.255.255', '2001:db8::1', '::'))
    .map(([op, address]) => `ip.src ${op} ${address}`),
)
const anyExpression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    comparison,
    tie('node').map((inner) => `not (${inner})`),
    fc.tuple(tie('node'), fc.constantFrom('and', 'or', 'xor'), tie('node')).map(([a, op, b]) => `(${a}) ${op} (${b})`),
  ),
})).node

const few = ['192.0.2.0/31', '2001:db8::/48']
const many = [...few, ...Array.from({ length: 40 }, (_, number) => `10.${number}.0.0/16`)]

function matches(expression: ReturnType<typeof judge>, { query, ...record }: Stored): boolean {
  assert.ok(expression.ok)
  const request = readRequest(
    {
      method: 'GET',
      url: `${record.ClientRequestScheme}://${record.ClientRequestHost}/`,
      headers: record.ClientRequestUserAgent === '' ? {} : { 'User-Agent': record.ClientRequestUserAgent },
      ip: record.ClientIP,
      facts: {
        'ip.src.country': record.ClientCountry.toUpperCase(),
        'ip.src.asnum': record.ClientASN,
        'cf.bot_management.score': record.BotScore,
      },
    },
    { at: 0n, id: '' },
  )
  assert.ok(request.ok)
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const visit = { ...request.value, path: bytes(record.ClientRequestPath), query: bytes(query) }
  const table = tableOf(new Set(fields.map((field) => field.name)))
  const known = { few: listOf('Ip', few), many: listOf('Ip', many) }
  const values = table({ request: visit, original: visit }, (type, name) =>
    type === 'Ip' ? known[name as keyof typeof known] : undefined,
  )
  return compile(expression.value)(values)
}

test('the store and the compiled rule agree on random records', async () => {
  const dataset = store.needs.datasets.find('http_requests', 'zone')
  assert.ok(dataset)
  let run = 0
  const property = fc.asyncProperty(
    fc.array(anyRecord, { minLength: 20, maxLength: 40 }),
    fc.array(anyExpression, { minLength: 30, maxLength: 40 }),
    async (records, expressions) => {
      run += 1
      const zone = { ...aScope(), id: run.toString(16).padStart(32, '0') }
      const lines = records.map(({ query, ...record }) =>
        JSON.stringify({
          ...record,
          ClientRequestURI: query === '' ? record.ClientRequestPath : `${record.ClientRequestPath}?${query}`,
        }),
      )
      await append(store.needs, zone, dataset, bodyOf(lines.join('\n')))
      const judged = expressions.map((text) => judge(text, fullScheme))
      const listItems = (name: string) => {
        const texts = { few, many }[name]
        return texts && { of: 'Ip' as const, items: texts.map(rangeOf).filter((range) => range !== undefined) }
      }
      const conditions = judged.map((expression, at) => {
        assert.ok(expression.ok, expressions[at])
        const translation = translate(expression.value, listItems)
        assert.deepEqual([translation.missingFields, translation.missingWords], [[], []], expressions[at])
        return translation.condition
      })
      const window = { from: 0n, to: 2n ** 63n }
      const { counts } = await tally(store.needs, { dataset, scopes: [zone], window }, conditions)
      const wanted = judged.map((expression) => records.filter((record) => matches(expression, record)).length)
      for (const [at, text] of expressions.entries()) assert.equal(counts[at], wanted[at], text)
    },
  )
  await fc.assert(property, { numRuns: 5, endOnFailure: true })
})
