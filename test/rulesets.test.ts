/** Rulesets through the API: what clients rely on, one sentence each. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { access, audit, type Client, type Operation, Refused, rulesets, type ScopeRef } from '../src/contract/index.ts'
import { commonProtection } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'

let house: House
let client: Client
let zone: { zone: string }
let account: { account: string }

before(async () => {
  house = await startHouse()
  client = house.client
  zone = house.zoneScope
  account = house.accountScope
})
after(() => house.stop())

const custom = 'http_request_firewall_custom'
const managed = 'http_request_firewall_managed'
const block = (path: string, more: object = {}) => ({
  action: 'block',
  expression: `http.request.uri.path eq "${path}"`,
  ...more,
})

async function put(scope: ScopeRef, phase: string, body: object, headers: Record<string, string> = {}) {
  const ruleset = await client.call(rulesets.updateEntryPoint, { scope, params: { phase }, body, headers })
  assert.ok(ruleset)
  return ruleset
}

async function refusal(work: Promise<unknown>): Promise<Refused> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Refused, String(error))
  return error
}

async function emptied(scope: ScopeRef, phase: string) {
  const found = await client.call(rulesets.viewEntryPoint, { scope, params: { phase } }).catch(() => undefined)
  if (found) await client.call(rulesets.deleteRuleset, { scope, params: { ruleset_id: found.id } })
}

const open = async (operation: Operation, call: object) => client.open(operation, call as never)

test('deleting a ruleset or a version answers 204 without a body, deleting a rule answers the ruleset', async () => {
  const { id, rules } = await put(zone, custom, { rules: [block('/a'), block('/b')] })
  const removed = await open(rulesets.deleteRule, { scope: zone, params: { ruleset_id: id, rule_id: rules[0]!.id } })
  assert.equal(removed.status, 200)
  assert.equal(((await removed.json()) as { result: { rules: unknown[] } }).result.rules.length, 1)
  for (const [operation, params] of [
    [rulesets.deleteVersion, { ruleset_id: id, version: '1' }],
    [rulesets.deleteRuleset, { ruleset_id: id }],
  ] as const) {
    const answer = await open(operation, { scope: zone, params })
    assert.equal(answer.status, 204)
    assert.equal(await answer.text(), '')
  }
})

test('without an entry point: 404 for it and for a version, an empty list of versions', async () => {
  await emptied(zone, custom)
  const none = await refusal(client.call(rulesets.viewEntryPoint, { scope: zone, params: { phase: custom } }))
  assert.equal(none.status, 404)
  assert.deepEqual(none.errors, [{ code: 10003, message: `could not find entrypoint ruleset in the ${custom} phase` }])
  assert.deepEqual(await client.call(rulesets.listEntryPointVersions, { scope: zone, params: { phase: custom } }), [])
  const params = { phase: custom, version: '1' }
  assert.equal((await refusal(client.call(rulesets.viewEntryPointVersion, { scope: zone, params }))).status, 404)
})

test('an unknown phase is 400, a malformed id leads nowhere', async () => {
  const wrong = await refusal(client.call(rulesets.viewEntryPoint, { scope: zone, params: { phase: 'http_x' } }))
  assert.deepEqual([wrong.status, wrong.message], [400, 'unknown phase "http_x"'])
  const lost = await refusal(client.call(rulesets.viewRuleset, { scope: zone, params: { ruleset_id: 'xyz' } }))
  assert.deepEqual([lost.status, lost.errors.map((error) => error.code)], [404, [7003, 7000]])
})

test('a second entry point of a phase is refused, also when both come at the same moment', async () => {
  await emptied(zone, custom)
  const body = { name: 'x', kind: 'zone', phase: custom }
  const tries = await Promise.allSettled(
    [1, 2, 3, 4].map(() => client.call(rulesets.createRuleset, { scope: zone, body })),
  )
  assert.equal(tries.filter((one) => one.status === 'fulfilled').length, 1)
  for (const one of tries) {
    if (one.status === 'fulfilled') continue
    const [error] = (one.reason as Refused).errors
    assert.deepEqual(error, {
      code: 20217,
      message: `'zone' is not a valid value for kind because exceeded maximum number of zone rulesets for phase ${custom}`,
      source: { pointer: '/kind' },
    })
  }
  await emptied(zone, custom)
})

test('writers at the same time are all applied, one on top of the other', async () => {
  const { id } = await put(zone, custom, { rules: [] })
  const paths = Array.from({ length: 20 }, (_, number) => `/${number}`)
  await Promise.all(
    paths.map((path) => client.call(rulesets.addRule, { scope: zone, params: { ruleset_id: id }, body: block(path) })),
  )
  const { rules, version } = await client.call(rulesets.viewRuleset, { scope: zone, params: { ruleset_id: id } })
  assert.equal(version, '21')
  assert.deepEqual(
    rules.map((rule) => rule.expression).toSorted(),
    paths.map((path) => block(path).expression).toSorted(),
  )
  await emptied(zone, custom)
})

test('first deployments at the same time make one entry point', async () => {
  await emptied(zone, custom)
  const made = await Promise.all([1, 2, 3].map((number) => put(zone, custom, { rules: [block(`/${number}`)] })))
  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
  assert.deepEqual(made.map(({ version }) => version).toSorted(), ['1', '2', '3'])
  await emptied(zone, custom)
})

test('If-Match with another version is 412 and changes nothing', async () => {
  const { version } = await put(zone, custom, { rules: [] })
  const answer = await open(rulesets.viewEntryPoint, { scope: zone, params: { phase: custom } })
  assert.equal(answer.headers.get('etag'), `"${version}"`)
  const next = await put(zone, custom, { rules: [block('/a')] }, { 'if-match': `"${version}"` })
  const late = await refusal(put(zone, custom, { rules: [] }, { 'if-match': `"${version}"` }))
  assert.equal(late.status, 412)
  assert.equal(
    (await client.call(rulesets.viewEntryPoint, { scope: zone, params: { phase: custom } })).version,
    next.version,
  )
  await put(zone, custom, { rules: [] }, { 'if-match': '*' })
  await emptied(zone, custom)
  assert.equal((await refusal(put(zone, custom, { rules: [] }, { 'if-match': '*' }))).status, 412)
})

test('a dry run finds the same faults, answers null, and stores nothing', async () => {
  await emptied(zone, custom)
  const dry = (body: object) =>
    client.call(rulesets.updateEntryPoint, { scope: zone, params: { phase: custom }, body, query: { dry_run: true } })
  assert.equal(await dry({ rules: [block('/a')] }), null)
  assert.equal((await refusal(dry({ rules: [{ action: 'block' }] }))).status, 400)
  assert.deepEqual(await client.call(rulesets.listEntryPointVersions, { scope: zone, params: { phase: custom } }), [])
  const { id } = await put(zone, custom, { rules: [] })
  const gone = await open(rulesets.deleteRuleset, { scope: zone, params: { ruleset_id: id }, query: { dry_run: true } })
  assert.equal(gone.status, 204)
  assert.equal((await client.call(rulesets.viewRuleset, { scope: zone, params: { ruleset_id: id } })).version, '1')
  const odd = await refusal(
    client.call(rulesets.deleteRuleset, {
      scope: zone,
      params: { ruleset_id: id },
      query: { dry_run: 'maybe' as never },
    }),
  )
  assert.equal(odd.status, 400)
  await emptied(zone, custom)
})

test('version numbers are never used again, and without its newest version a ruleset goes back', async () => {
  const { id } = await put(zone, custom, { rules: [block('/1')] })
  const params = { ruleset_id: id }
  await put(zone, custom, { rules: [block('/2')] })
  await client.call(rulesets.deleteVersion, { scope: zone, params: { ...params, version: '2' } })
  const back = await client.call(rulesets.viewRuleset, { scope: zone, params })
  assert.deepEqual([back.version, back.rules[0]?.expression], ['1', block('/1').expression])
  const only = await refusal(client.call(rulesets.deleteVersion, { scope: zone, params: { ...params, version: '1' } }))
  assert.equal(only.status, 400)
  assert.equal((await put(zone, custom, { rules: [] })).version, '3')
  await emptied(zone, custom)
})

test('a ruleset that an entry point executes cannot be deleted, nor its newest version, and the refusal says by whom', async () => {
  const shared = await client.call(rulesets.createRuleset, {
    scope: account,
    body: { name: 's', kind: 'custom', phase: custom },
  })
  assert.ok(shared)
  const params = { ruleset_id: shared.id }
  await client.call(rulesets.updateRuleset, { scope: account, params, body: { rules: [block('/x')] } })
  const entry = await put(account, custom, {
    rules: [{ action: 'execute', action_parameters: { id: shared.id }, expression: 'true' }],
  })
  assert.deepEqual(entry.rules[0]?.action_parameters, { id: shared.id, version: 'latest' })
  const refused = await refusal(client.call(rulesets.deleteRuleset, { scope: account, params }))
  assert.equal(refused.status, 400)
  assert.ok(refused.message.includes(entry.id), refused.message)
  const newest = await refusal(
    client.call(rulesets.deleteVersion, { scope: account, params: { ...params, version: '2' } }),
  )
  assert.equal(newest.status, 400)
  await client.call(rulesets.deleteVersion, { scope: account, params: { ...params, version: '1' } })
  await put(account, custom, { rules: [] })
  await client.call(rulesets.deleteRuleset, { scope: account, params })
  await emptied(account, custom)
})

test('Terraform: refs keep ids, empty parameters and descriptions are fine, name, kind and phase may be sent again', async () => {
  const sent = (paths: string[]) => ({
    name: 'tf',
    kind: 'zone',
    phase: custom,
    description: '',
    rules: paths.map((path) =>
      block(path, { ref: `ref${path}`, action_parameters: {}, description: '', enabled: true }),
    ),
  })
  const made = await client.call(rulesets.createRuleset, { scope: zone, body: sent(['/a', '/b']) })
  assert.ok(made)
  const params = { ruleset_id: made.id }
  const next = await client.call(rulesets.updateRuleset, { scope: zone, params, body: sent(['/b', '/c', '/a']) })
  assert.ok(next)
  const ids = Object.fromEntries(made.rules.map((rule) => [rule.ref, rule.id]))
  assert.equal(next.rules.find((rule) => rule.ref === 'ref/a')?.id, ids['ref/a'])
  assert.equal(next.rules.find((rule) => rule.ref === 'ref/b')?.id, ids['ref/b'])
  assert.deepEqual(
    next.rules.map((rule) => rule.version),
    ['1', '1', '1'],
  )
  assert.ok(next.rules.every((rule) => !('action_parameters' in rule) && !('logging' in rule)))
  assert.deepEqual(await client.call(rulesets.viewRuleset, { scope: zone, params }), next)
  const renamed = await refusal(
    client.call(rulesets.updateRuleset, { scope: zone, params, body: { ...sent([]), name: 'other' } }),
  )
  assert.deepEqual([renamed.status, renamed.errors[0]?.source?.pointer], [400, '/name'])
  await emptied(zone, custom)
})

test('Terraform: what is read is what was written, with the static defaults', async () => {
  const cases: [string, object, object][] = [
    [
      'http_request_dynamic_redirect',
      {
        action: 'redirect',
        expression: 'true',
        action_parameters: { from_value: { status_code: 301, target_url: { value: 'https://example.com' } } },
      },
      { from_value: { status_code: 301, target_url: { value: 'https://example.com' }, preserve_query_string: false } },
    ],
    [
      'http_config_settings',
      { action: 'set_config', expression: 'true', action_parameters: { autominify: { css: true }, bic: false } },
      { autominify: { css: true, html: false, js: false }, bic: false },
    ],
    [
      'http_request_cache_settings',
      {
        action: 'set_cache_settings',
        expression: 'true',
        action_parameters: { cache_key: { custom_key: { query_string: { include: ['*'] } } } },
      },
      { cache_key: { custom_key: { query_string: { include: ['*'] } } } },
    ],
    [
      'http_log_custom_fields',
      { action: 'log_custom_field', expression: 'true', action_parameters: { response_fields: [{ name: 'etag' }] } },
      { response_fields: [{ name: 'etag', preserve_duplicates: false }] },
    ],
  ]
  for (const [phase, rule, parameters] of cases) {
    const made = await put(zone, phase, { rules: [rule] })
    assert.deepEqual(made.rules[0]?.action_parameters, parameters)
    assert.deepEqual(await client.call(rulesets.viewEntryPoint, { scope: zone, params: { phase } }), made)
    await emptied(zone, phase)
  }
})

test('the phase form is strict: kind is an unknown field there', async () => {
  const wrong = await refusal(put(zone, custom, { kind: 'zone', rules: [] }))
  assert.deepEqual([wrong.status, wrong.message], [400, 'invalid JSON: unknown field "kind"'])
})

test('skip rules tell their logging, and lose it with their action', async () => {
  const skip = { action: 'skip', action_parameters: { ruleset: 'current' }, expression: 'true' }
  const { id, rules } = await put(zone, custom, { rules: [skip] })
  assert.deepEqual((rules[0] as { logging?: object }).logging, { enabled: true })
  const params = { ruleset_id: id, rule_id: rules[0]!.id }
  const changed = await client.call(rulesets.updateRule, { scope: zone, params, body: block('/a') })
  assert.ok(changed && !('logging' in changed.rules[0]!))
  await emptied(zone, custom)
})

test('a patch with action and expression replaces the definition, one without changes only what it names', async () => {
  const { id, rules } = await put(zone, custom, { rules: [block('/a', { description: 'keep me', ref: 'mine' })] })
  const params = { ruleset_id: id, rule_id: rules[0]!.id }
  const off = await client.call(rulesets.updateRule, { scope: zone, params, body: { enabled: false } })
  assert.deepEqual(
    [off?.rules[0]?.enabled, off?.rules[0]?.description, off?.rules[0]?.expression, off?.rules[0]?.version],
    [false, 'keep me', block('/a').expression, '2'],
  )
  const whole = await client.call(rulesets.updateRule, { scope: zone, params, body: block('/b') })
  assert.deepEqual(
    [whole?.rules[0]?.enabled, whole?.rules[0]?.description, whole?.rules[0]?.ref, whole?.rules[0]?.id],
    [true, '', 'mine', rules[0]?.id],
  )
  assert.equal((await refusal(client.call(rulesets.updateRule, { scope: zone, params, body: {} }))).status, 400)
  await emptied(zone, custom)
})

test('managed rulesets are there for every account, hide their expressions, and are read by tag', async () => {
  const params = { ruleset_id: commonProtection.id }
  const set = await client.call(rulesets.viewRuleset, { scope: account, params })
  assert.equal(set.kind, 'managed')
  assert.ok(set.rules.every((rule) => rule.expression === undefined))
  const tagged = await client.call(rulesets.listRulesByTag, {
    scope: account,
    params: { ...params, version: set.version, tag: 'log4j' },
  })
  assert.deepEqual(
    tagged.rules.map((rule) => rule.ref),
    ['log4j-lookup', 'log4j-hidden-lookup'],
  )
  const changed = await refusal(client.call(rulesets.updateRuleset, { scope: account, params, body: { rules: [] } }))
  assert.equal(changed.status, 400)
  const twice = { action: 'execute', action_parameters: { id: commonProtection.id }, expression: 'true' }
  const refused = await refusal(put(zone, managed, { rules: [twice, twice] }))
  assert.equal(refused.errors[0]?.code, 20014)
  const overrides = {
    rules: [{ id: set.rules[0]!.id, action: 'log' }],
    categories: [{ category: 'xss', enabled: false }],
  }
  await put(zone, managed, { rules: [{ ...twice, action_parameters: { id: commonProtection.id, overrides } }] })
  await emptied(zone, managed)
})

test('an operator imports a managed ruleset; the same file again changes nothing, a new one is the next version', async () => {
  const file = {
    name: 'House rules',
    phase: managed,
    rules: [{ ref: 'one', action: 'block', expression: 'http.host eq "x"', categories: ['own'] }],
  }
  const first = await client.call(rulesets.importManagedRuleset, { body: file })
  assert.equal(first?.version, '1')
  assert.equal((await client.call(rulesets.importManagedRuleset, { body: file }))?.version, '1')
  const longer = { ...file, rules: [...file.rules, { ref: 'two', action: 'log', expression: 'true' }] }
  const second = await client.call(rulesets.importManagedRuleset, { body: longer })
  assert.deepEqual([second?.id, second?.version, second?.rules[0]?.id], [first?.id, '2', first?.rules[0]?.id])
  const old = await refusal(
    client.call(rulesets.viewVersion, { scope: account, params: { ruleset_id: first!.id, version: '1' } }),
  )
  assert.equal(old.status, 404)
  const member = await client.call(access.addMember, {
    scope: account,
    body: { email: 'm@example.com', role: 'administrator' },
  })
  const other = house.as({ email: 'm@example.com', key: member.api_key! })
  assert.equal((await refusal(other.call(rulesets.importManagedRuleset, { body: file }))).status, 403)
})

test('the audit log tells the difference, not two whole rulesets', async () => {
  const { id, rules } = await put(zone, custom, { rules: [block('/a'), block('/b'), block('/c')] })
  await client.call(rulesets.updateRule, {
    scope: zone,
    params: { ruleset_id: id, rule_id: rules[2]!.id },
    body: { ...block('/c', { enabled: false }), position: { index: 1 } },
  })
  const [entry] = await client.call(audit.listAccountAudit, { scope: account, query: { per_page: 1 } })
  assert.equal(entry?.resource.type, 'ruleset')
  assert.deepEqual(JSON.parse(String(entry?.oldValue)), {
    version: '1',
    changed: [{ id: rules[2]!.id, enabled: true }],
  })
  assert.deepEqual(JSON.parse(String(entry?.newValue)), {
    version: '2',
    changed: [{ id: rules[2]!.id, enabled: false }],
    moved: [{ id: rules[2]!.id, from: 3, to: 1 }],
  })
  await emptied(zone, custom)
})

test('a ruleset of one zone is not there for another, nor for its account', async () => {
  const other = await client.call(access.createZone, {
    body: { name: 'other.example', account: { id: account.account } },
  })
  const { id } = await put(zone, custom, { rules: [block('/secret')] })
  for (const scope of [{ zone: other.id }, account])
    assert.equal((await refusal(client.call(rulesets.viewRuleset, { scope, params: { ruleset_id: id } }))).status, 404)
  await emptied(zone, custom)
})
