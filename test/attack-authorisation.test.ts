/**
 * Who may do what, asked of every operation in the contract with every kind of credential, in their own scope and in those
 * of others. What is expected comes from the contract's declarations alone, so a new operation is in the table with its entry.
 */
import assert from 'node:assert/strict'
import { Agent, request as send } from 'node:http'
import { after, before, test } from 'node:test'
import type { Permission } from '../src/base/index.ts'
import { access, lists, logexport, type Operation, operations, pathsOf, rulesets } from '../src/contract/index.ts'
import { makeChance, type Schema, valueFor } from './fuzz/values.ts'
import { type House, startHouse } from './house.ts'

/** What each role is promised to hold; a role of the contract that is missing here fails the first test. */
const roles: Record<string, readonly Permission[]> = {
  administrator: [
    'account:admin',
    'logs:read',
    'logs:edit',
    'logs:ingest',
    'rulesets:read',
    'rulesets:edit',
    'edge:decide',
  ],
  'log share': ['logs:read', 'logs:edit'],
  'log share reader': ['logs:read'],
  'rulesets editor': ['rulesets:read', 'rulesets:edit'],
  'read only': ['logs:read', 'rulesets:read'],
}
const words = (schema: unknown): readonly string[] => (schema as { enum: readonly string[] }).enum
const roleNames = words(access.addMember.body.properties.role)
const permissions = words((access.createToken.body.properties.permissions as { items: unknown }).items) as Permission[]

type Holder = {
  readonly who: string
  readonly headers: Readonly<Record<string, string>>
  /** Status and code that its credential alone earns, whatever it asks for. */
  readonly refused?: readonly [status: number, code: number]
  readonly by: 'key' | 'token'
  readonly isSuper?: true
  readonly account?: string
  readonly zones?: readonly string[]
  readonly permissions?: readonly Permission[]
}

/** Two tenants: `mine` with two zones, and `theirs`; each with one of everything that has an id. */
type Tenant = {
  readonly account: string
  readonly zones: readonly [string, string]
  readonly ids: Readonly<Record<string, string>>
}

let house: House
let mine: Tenant
let theirs: Tenant
let holders: readonly Holder[]
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
const nobody = 'f'.repeat(32)

before(async () => {
  house = await startHouse({ environment: { SPILLWAY_OWNERSHIP: 'storage' } })
  mine = await aTenant('mine')
  theirs = await aTenant('theirs')
  holders = await everyHolder()
})
after(async () => {
  agent.destroy()
  await house.stop()
})

async function aTenant(name: string): Promise<Tenant> {
  const { client } = house
  const account = (await client.call(access.createAccount, { body: { name } })).id
  const zoneNamed = async (label: string) =>
    (await client.call(access.createZone, { body: { name: `${label}.${name}.test`, account: { id: account } } })).id
  const zones = [await zoneNamed('one'), await zoneNamed('two')] as const
  const scope = { zone: zones[1] }
  const destination_conf = `https://receiver.invalid/${name}?header_Authorization=secret`
  const job = await client.call(logexport.createJob, { scope, body: { destination_conf, enabled: false } })
  const draft = {
    name,
    kind: 'zone',
    phase: 'http_request_firewall_custom',
    rules: [{ action: 'log', expression: 'ssl' }],
  }
  const ruleset = await client.call(rulesets.createRuleset, { scope, body: draft })
  const list = await client.call(lists.createList, { scope: { account }, body: { name, kind: 'ip' } })
  const member = await client.call(access.addMember, {
    scope: { account },
    body: { email: `one@${name}.test`, role: 'read only' },
  })
  const token = await client.call(access.createToken, {
    scope: { account },
    body: { name, permissions: ['logs:read'] },
  })
  const ids = {
    job_id: String(job.id),
    ruleset_id: ruleset!.id,
    rule_id: ruleset!.rules[0]!.id,
    list_id: list.id,
    member_id: member.id,
    token_id: token.id,
  }
  return { account, zones, ids }
}

async function everyHolder(): Promise<Holder[]> {
  const { client, credential } = house
  const scope = { account: mine.account }
  const inMine = { account: mine.account }
  const bearer = (token: { value?: string }) => ({ authorization: `Bearer ${token.value}` })
  const key = (email: string, key = '') => ({ 'x-auth-email': email, 'x-auth-key': key })
  const made: Holder[] = [
    { who: 'nobody', headers: {}, refused: [400, 9106], by: 'key' },
    {
      who: 'an unknown token',
      headers: { authorization: `Bearer ${'x'.repeat(40)}` },
      refused: [403, 9109],
      by: 'token',
    },
    { who: 'a wrong key', headers: key(credential.email, '0'.repeat(37)), refused: [403, 9103], by: 'key' },
    { who: 'a super administrator', headers: key(credential.email, credential.key), by: 'key', isSuper: true },
  ]
  for (const role of roleNames) {
    const email = `${role.replaceAll(' ', '-')}@mine.test`
    const member = await client.call(access.addMember, { scope, body: { email, role: role as 'read only' } })
    made.push({
      who: `a member as ${role}`,
      headers: key(email, member.api_key),
      by: 'key',
      ...inMine,
      permissions: roles[role] ?? [],
    })
  }
  const stranger = await client.call(access.addMember, {
    scope: { account: theirs.account },
    body: { email: 'owner@theirs.test', role: 'administrator' },
  })
  made.push({
    who: 'an administrator of another account',
    headers: key('owner@theirs.test', stranger.api_key),
    by: 'key',
    account: theirs.account,
    permissions,
  })

  const token = (given: readonly Permission[], more: { zones?: string[]; expires_on?: string } = {}) =>
    client.call(access.createToken, { scope, body: { name: 'of the matrix', permissions: [...given], ...more } })
  for (const one of permissions) {
    made.push({
      who: `a token for ${one}`,
      headers: bearer(await token([one])),
      by: 'token',
      ...inMine,
      permissions: [one],
    })
  }
  made.push({
    who: 'a token for everything',
    headers: bearer(await token(permissions)),
    by: 'token',
    ...inMine,
    permissions,
  })
  const zones = [mine.zones[0]]
  made.push({
    who: 'a token for everything in one zone',
    headers: bearer(await token(permissions, { zones })),
    by: 'token',
    ...inMine,
    zones,
    permissions,
  })

  const revoked = await token(permissions)
  await client.call(access.revokeToken, { scope, params: { token_id: revoked.id } })
  made.push({ who: 'a revoked token', headers: bearer(revoked), refused: [403, 9109], by: 'token' })
  const expired = await token(permissions, { expires_on: new Date(Date.now() + 60_000).toISOString() })
  house.tick(120n * 1_000_000_000n)
  made.push({ who: 'an expired token', headers: bearer(expired), refused: [403, 9109], by: 'token' })
  const left = await client.call(access.addMember, { scope, body: { email: 'left@mine.test', role: 'administrator' } })
  const ofLeft = await house
    .as({ email: left.email, key: left.api_key ?? '' })
    .call(access.createToken, { scope, body: { name: 'of who left', permissions } })
  await client.call(access.removeMember, { scope, params: { member_id: left.id } })
  made.push({ who: 'a token of a member who left', headers: bearer(ofLeft), refused: [403, 9109], by: 'token' })
  made.push({ who: 'a member who left', headers: key(left.email, left.api_key), by: 'key', permissions: [] })
  return made
}

type Target = {
  readonly what: string
  readonly path: string
  readonly scope?: { readonly account: string; readonly zone?: string }
  readonly body?: string
}

/** Where an operation is asked: mine, my other zone, theirs, and nowhere. */
function* targetsOf(operation: Operation): Generator<Target> {
  const inner = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sampleParam(operation, name))
  for (const path of pathsOf(operation)) {
    const places = path.includes('{zone_id}')
      ? [
          ['my zone', mine.account, mine.zones[0]],
          ['my other zone', mine.account, mine.zones[1]],
          ['their zone', theirs.account, theirs.zones[0]],
          ['no zone', nobody, nobody],
        ]
      : [
          ['my account', mine.account],
          ['their account', theirs.account],
          ['no account', nobody],
        ]
    for (const [what = '', account = '', zone] of places) {
      const scope = zone === undefined ? { account } : { account, zone }
      if (operation.place !== 'none')
        yield { what, scope, path: inner(path.replace('{zone_id}', zone ?? '').replace('{account_id}', account)) }
      else if (operation.inAccount)
        yield { what, scope, path, body: JSON.stringify({ name: 'not a domain', account: { id: account } }) }
    }
    if (operation.place === 'none' && !operation.inAccount) yield { what: 'beside the scopes', path: inner(path) }
  }
}

/** Something of the right shape that names nothing, so that what is allowed does no harm. */
function sampleParam({ params }: Operation, name: string): string {
  const schema = (params?.properties as Record<string, Schema> | undefined)?.[name] ?? {}
  if (schema.type === 'integer') return '999999999'
  return name.endsWith('_id') ? nobody : 'nothing'
}

/** By the contract alone: a refusal, or nothing when the operation is reached. */
function expected(
  operation: Operation,
  holder: Holder,
  { scope }: Target,
): readonly [status: number, code: number] | undefined {
  if (operation.allowed === 'open') return undefined
  if (holder.refused) {
    // The one question whose answer a bad token is.
    return operation.id === 'verifyToken' && holder.by === 'token' ? [401, 1000] : holder.refused
  }
  if (operation.id === 'verifyToken' && holder.by === 'key') return [401, 1000]
  const held = new Set(holder.permissions)
  if (held.has('logs:edit')) held.add('logs:read')
  if (held.has('rulesets:edit')) held.add('rulesets:read')
  if (scope && !holder.isSuper) {
    const isSeen = scope.account === holder.account && (!holder.zones || holder.zones.includes(scope.zone ?? ''))
    if (!isSeen) return scope.zone === undefined ? [404, 1003] : [404, 1001]
  } else if (scope?.account === nobody) return scope.zone === undefined ? [404, 1003] : [404, 1001]
  const denied = [403, 10000] as const
  if (operation.only === 'super' && !holder.isSuper) return denied
  if (operation.only === 'key' && holder.by !== 'key') return denied
  if (holder.isSuper || operation.allowed === 'anyone') return undefined
  if (operation.inAccount && holder.zones) return denied
  return held.has(operation.allowed) ? undefined : denied
}

type Answer = { readonly status: number; readonly codes: readonly number[]; readonly text: string }

/** A body that no operation understands is only read once the caller was let in; nothing is done in any case. */
function ask(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Answer> {
  const json =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const request = send(`${house.baseUrl}${path}`, { method, agent, headers: { ...headers, ...json } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (more) => {
        text += more
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, codes: codesIn(text), text }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

const codesIn = (text: string): number[] =>
  text.includes('"success":false') ? JSON.parse(text).errors.map(({ code }: { code: number }) => code) : []

const atTheDoor = new Set([9106, 9103, 9109, 10000, 1000, 1001, 1003])

/** Every place where the service answers otherwise than the table says. */
async function holesIn(
  table: readonly Operation[],
  who: readonly Holder[],
): Promise<{ asked: number; holes: string[] }> {
  const holes: string[] = []
  let asked = 0
  for (const operation of table) {
    const isRead = operation.method === 'GET' || operation.stream === 'in'
    for (const target of targetsOf(operation)) {
      const check = async (holder: Holder) => {
        asked += 1
        const answer = await ask(
          operation.method,
          target.path,
          holder.headers,
          target.body ?? (isRead ? undefined : '{'),
        )
        const wanted = expected(operation, holder, target)
        const [status, code] = wanted ?? []
        const isRight = wanted
          ? answer.status === status && answer.codes[0] === code
          : answer.status < 500 && !atTheDoor.has(answer.codes[0] ?? 0)
        if (!isRight)
          holes.push(
            `${operation.id} of ${target.what} by ${holder.who}: ${answer.status} ${answer.codes}, not ${wanted ?? 'let in'}`,
          )
      }
      // Who is refused by the credential alone is so wherever it asks.
      const asking = who.filter(({ refused }) => !refused || target.scope?.account !== theirs.account)
      for (let at = 0; at < asking.length; at += 4) await Promise.all(asking.slice(at, at + 4).map(check))
    }
  }
  return { asked, holes }
}

test('every role of the contract is in the table', () => {
  assert.deepEqual(Object.keys(roles).toSorted(), [...roleNames].toSorted())
  assert.ok(permissions.length >= 7 && operations.length >= 80)
})

test('every operation lets in whom the contract names, and nobody else, wherever it is asked', async (t) => {
  const { asked, holes } = await holesIn(operations, holders)
  t.diagnostic(`${operations.length} operations, ${holders.length} kinds of callers, ${asked} answers`)
  assert.deepEqual(holes, [])
})

test('the table bites: an operation that asks for another permission than it declares is found', async () => {
  const { listJobs, updateJob } = logexport
  const lying: Operation[] = [
    { ...listJobs, allowed: 'rulesets:read' },
    { ...updateJob, only: 'super' },
    { ...access.viewAccount, inAccount: true, allowed: 'account:admin' },
  ]
  const { holes } = await holesIn(lying, holders)
  for (const { id } of lying)
    assert.ok(
      holes.some((hole) => hole.startsWith(id)),
      id,
    )
})

test('an id of somebody else answers as one that does not exist, letter by letter', async (t) => {
  const chance = makeChance(1)
  const [owner] = holders.filter(({ who }) => who === 'a member as administrator')
  let compared = 0
  for (const operation of operations) {
    if (operation.mirrors || operation.only === 'super') continue
    for (const path of pathsOf(operation)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name in theirs.ids)
      const body = operation.body && operation.stream !== 'in' ? JSON.stringify(bodyFor(operation, chance)) : undefined
      const answerTo = async (name: string, id: string) => {
        const values: Record<string, string> = {
          ...mine.ids,
          zone_id: mine.zones[1],
          account_id: mine.account,
          version: '1',
          tag: 'a',
          [name]: id,
        }
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, one: string) => values[one] ?? '')
        const { status, text } = await ask(operation.method, filled, owner!.headers, body)
        return { status, text: text.replaceAll(id, '<id>') }
      }
      for (const name of names) {
        const unknown = name === 'job_id' ? '999999999' : nobody
        const [foreign, missing] = [await answerTo(name, theirs.ids[name]!), await answerTo(name, unknown)]
        compared += 1
        assert.deepEqual(foreign, missing, `${operation.id} ${name}`)
        assert.equal(foreign.status, 404, `${operation.id} ${name}: ${foreign.text}`)
      }
    }
  }
  t.diagnostic(`${compared} addresses compared`)
  assert.ok(compared > 40)
  const jobs = await house.client.call(logexport.listJobs, { scope: { zone: theirs.zones[1] } })
  assert.deepEqual(
    jobs.map(({ id, name }) => [String(id), name]),
    [[theirs.ids.job_id, '']],
  )
  const ruleset = await house.client.call(rulesets.viewRuleset, {
    scope: { zone: theirs.zones[1] },
    params: { ruleset_id: theirs.ids.ruleset_id! },
  })
  assert.equal(ruleset.version, '1')
})

/** A body that the operation would accept. */
function bodyFor({ body, path, method }: Operation, chance: ReturnType<typeof makeChance>): unknown {
  const rule = { action: 'log', expression: 'ssl' }
  const known: Record<string, unknown> = {
    rules: [rule],
    start: '2026-11-15T00:00:00Z',
    end: '2026-11-15T00:01:00Z',
    description: 'x',
    items: [{ id: nobody }],
    ...rule,
  }
  const needed =
    (body as Schema).required ?? Object.keys((body as Schema).properties ?? {}).filter((name) => name in known)
  if (path.endsWith('/items') && method !== 'DELETE') return [{ ip: '192.0.2.1' }]
  if (path.endsWith('/rules') || path.endsWith('/rules/{rule_id}')) return rule
  return Object.fromEntries(
    needed.map((name) => [
      name,
      known[name] ?? valueFor((body as Schema).properties?.[name] ?? {}, name, () => undefined, chance),
    ]),
  )
}
