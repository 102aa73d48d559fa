/** The official client of the hosted product, unmodified, against our service: every method of its rulesets resources. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Cloudflare from 'cloudflare'
import { commonProtection } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'

let house: House
let sdk: Cloudflare
let zone: { zone_id: string }
let account: { account_id: string }

before(async () => {
  house = await startHouse()
  sdk = new Cloudflare({
    baseURL: `${house.service.url}/client/v4`,
    apiEmail: house.credential.email,
    apiKey: house.credential.key,
  })
  zone = { zone_id: house.zone }
  account = { account_id: house.account }
})
after(() => house.stop())

const phase = 'http_request_firewall_custom'

/** A write may answer null when it was a dry run, so the client types its answers as unknown. */
const ruleset = async (answer: Promise<unknown>) => (await answer) as Cloudflare.Rulesets.RulesetGetResponse

test('rulesets: create, get, update, list and delete', async () => {
  const made = await ruleset(
    sdk.rulesets.create({
      ...account,
      kind: 'custom',
      name: 'reusable',
      phase,
      description: 'first',
      rules: [{ action: 'block', expression: 'http.request.uri.path eq "/admin"', ref: 'admin' }],
    }),
  )
  assert.equal(made.kind, 'custom')
  assert.equal(made.version, '1')
  assert.equal(made.rules[0]?.ref, 'admin')

  const got = await sdk.rulesets.get(made.id, account)
  assert.deepEqual(got, made)

  const updated = await ruleset(
    sdk.rulesets.update(made.id, {
      ...account,
      description: 'second',
      rules: [
        { action: 'log', expression: 'true' },
        { action: 'block', expression: 'http.request.uri.path eq "/admin"', ref: 'admin' },
      ],
    }),
  )
  assert.equal(updated.version, '2')
  assert.equal(updated.description, 'second')
  assert.equal(updated.rules[1]?.id, made.rules[0]?.id)

  const listed = []
  for await (const one of sdk.rulesets.list(account)) listed.push(one)
  assert.ok(listed.some((one) => one.id === made.id))
  assert.ok(listed.some((one) => one.name === commonProtection.name))
  assert.ok(listed.every((one) => !('rules' in one)))

  await sdk.rulesets.delete(made.id, account)
  await assert.rejects(sdk.rulesets.get(made.id, account), Cloudflare.NotFoundError)
})

test('rulesets: lists are followed page by page', async () => {
  const made = []
  for (let number = 0; number < 5; number++)
    made.push((await ruleset(sdk.rulesets.create({ ...account, kind: 'custom', name: `n${number}`, phase }))).id)
  const seen = []
  let pages = 0
  for await (const page of (await sdk.rulesets.list({ ...account, per_page: 2 })).iterPages()) {
    pages++
    seen.push(...page.getPaginatedItems().map((one) => one.id))
  }
  assert.ok(pages >= 3)
  assert.equal(new Set(seen).size, seen.length)
  for (const id of made) {
    assert.ok(seen.includes(id))
    await sdk.rulesets.delete(id, account)
  }
})

test('rulesets.rules: create at a position, edit and delete answer with the whole ruleset', async () => {
  const { id } = await ruleset(sdk.rulesets.create({ ...account, kind: 'custom', name: 'rules', phase }))
  await ruleset(
    sdk.rulesets.rules.create(id, { ...account, action: 'block', expression: 'http.host eq "a"', ref: 'a' }),
  )
  const two = await ruleset(
    sdk.rulesets.rules.create(id, {
      ...account,
      action: 'block',
      expression: 'http.host eq "b"',
      ref: 'b',
      position: { index: 1 },
    }),
  )
  assert.deepEqual(
    two.rules.map((rule) => rule.ref),
    ['b', 'a'],
  )
  const [b, a] = two.rules
  const moved = await ruleset(
    sdk.rulesets.rules.edit(b!.id!, { ...account, ruleset_id: id, position: { after: a!.id! } } as never),
  )
  assert.deepEqual(
    moved.rules.map((rule) => [rule.ref, rule.version]),
    [
      ['a', '1'],
      ['b', '1'],
    ],
  )
  const edited = await ruleset(
    sdk.rulesets.rules.edit(a!.id!, {
      ...account,
      ruleset_id: id,
      action: 'managed_challenge',
      expression: 'http.host eq "c"',
    }),
  )
  assert.equal(edited.rules[0]?.action, 'managed_challenge')
  assert.equal(edited.rules[0]?.version, '2')
  const left = await ruleset(sdk.rulesets.rules.delete(b!.id!, { ...account, ruleset_id: id }))
  assert.deepEqual(
    left.rules.map((rule) => rule.id),
    [a!.id],
  )
  await sdk.rulesets.delete(id, account)
})

test('rulesets.versions: list, get and delete', async () => {
  const { id } = await ruleset(sdk.rulesets.create({ ...account, kind: 'custom', name: 'versions', phase }))
  await ruleset(sdk.rulesets.update(id, { ...account, description: 'two' }))
  const versions = []
  for await (const version of sdk.rulesets.versions.list(id, account)) versions.push(version)
  assert.deepEqual(
    versions.map((version) => version.version),
    ['1', '2'],
  )
  const first = await sdk.rulesets.versions.get('1', { ...account, ruleset_id: id })
  assert.equal(first.description, '')
  assert.deepEqual(first.rules, [])
  await sdk.rulesets.versions.delete('1', { ...account, ruleset_id: id })
  await assert.rejects(sdk.rulesets.versions.get('1', { ...account, ruleset_id: id }), Cloudflare.NotFoundError)
  await sdk.rulesets.delete(id, account)
})

test('rulesets.phases and rulesets.phases.versions: deploy, read, and read old versions', async () => {
  await assert.rejects(sdk.rulesets.phases.get(phase, zone), (error) => {
    assert.ok(error instanceof Cloudflare.NotFoundError)
    assert.equal(error.errors[0]?.code, 10003)
    return true
  })
  const none = []
  for await (const version of sdk.rulesets.phases.versions.list(phase, zone)) none.push(version)
  assert.deepEqual(none, [])

  const first = await ruleset(
    sdk.rulesets.phases.update(phase, {
      ...zone,
      description: 'ours',
      rules: [{ action: 'skip', action_parameters: { ruleset: 'current' }, expression: 'ip.src eq 192.0.2.1' }],
    }),
  )
  assert.equal(first.kind, 'zone')
  assert.equal(first.name, 'default')
  assert.deepEqual(first.rules[0]?.logging, { enabled: true })
  const second = await ruleset(sdk.rulesets.phases.update(phase, { ...zone, rules: [] }))
  assert.equal(second.id, first.id)
  assert.equal(second.version, '2')
  assert.equal(second.description, 'ours')
  assert.deepEqual((await sdk.rulesets.phases.get(phase, zone)).rules, [])
  const versions = []
  for await (const version of sdk.rulesets.phases.versions.list(phase, zone)) versions.push(version.version)
  assert.deepEqual(versions, ['1', '2'])
  const old = await sdk.rulesets.phases.versions.get('1', { ...zone, ruleset_phase: phase })
  assert.equal(old.rules.length, 1)
  await sdk.rulesets.delete(first.id, zone)
})

test('a mistake is a BadRequestError with code, message and pointer', async () => {
  const attempt = sdk.rulesets.phases.update(phase, {
    ...zone,
    rules: [{ action: 'block', expression: 'http.hos eq "a"' }],
  })
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof Cloudflare.BadRequestError)
    const [first] = error.errors as unknown as { code: number; message: string; source: { pointer: string } }[]
    assert.equal(first?.source.pointer, '/rules/0/expression')
    assert.match(first?.message ?? '', /^'http.hos eq "a"' is not a valid value for expression because could not parse/)
    assert.match(first?.message ?? '', /\^{5,} unknown identifier/)
    return true
  })
})
