import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromRfc3339, makeVault, type Nanos, type Scope, second } from '../base/index.ts'
import { judgeDestination, type Outside, type Parcel } from '../destinations/index.ts'
import type { JobNeeds } from './job.ts'
import { issueChallenge, needsChallenge, provesOwnership } from './ownership.ts'

const key = Buffer.alloc(32, 7)
const vault = makeVault(key)
const start = fromRfc3339('2026-11-15T12:00:00Z') ?? 0n
const day = 24n * 3600n * second
const zone: Scope = { kind: 'zone', id: '1'.repeat(32), account: 'a'.repeat(32) }
const account: Scope = { kind: 'account', id: 'a'.repeat(32), account: 'a'.repeat(32) }
const conf = 'gs://tenant-logs/edge/{DATE}'

/** Issues a challenge at a store that keeps it, and reads the token there. */
async function challenge(scope: Scope = zone, destination = conf) {
  const parcels: Parcel[] = []
  const store = {
    send: async () => ({ status: 200, headers: {}, body: '{}' }),
    now: () => new Date('2026-11-15T12:00:00Z'),
    endpoint: () => undefined,
    googleToken: async () => 'token-of-the-operator',
    writeFile: async () => undefined,
  }
  const sent: Outside['send'] = async (request) => {
    parcels.push({ name: request.url.href, body: request.body } as Parcel)
    return store.send()
  }
  const outside = () => ({ ...store, send: sent }) as unknown as Outside
  const needs = { vault, now: () => start, outside } as unknown as JobNeeds
  const answer = await issueChallenge(needs, scope, destination)
  return { answer, text: String(parcels[0]?.body ?? ''), token: String(parcels[0]?.body ?? '').trim() }
}

const proves = (token: string, { scope = zone, destination = conf, at = start as Nanos, by = vault } = {}): boolean =>
  provesOwnership({ vault: by, now: () => at }, scope, destination, token)

test('the challenge is one line in a file below the directory, with the date filled in', async () => {
  const { answer, text } = await challenge()
  assert.deepEqual({ ...answer, filename: '' }, { valid: true, message: '', filename: '' })
  assert.match(answer.filename, /^edge\/20261115\/ownership-challenge-[0-9a-f]{8}\.txt$/)
  assert.match(text, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\n$/)
})

test('an HTTP receiver gets one record with the name of the file and the token', async () => {
  const destination = 'sumo://endpoint1.collection.example.com/receiver/v1/http/Y29kZQ=='
  const { answer, text } = await challenge(zone, destination)
  const { filename, content } = JSON.parse(text)
  assert.equal(filename, answer.filename)
  assert.ok(proves(content, { destination }))
})

test('a token proves ownership again and again within seven days, with the line end that was copied along', async () => {
  const { token } = await challenge()
  assert.ok(proves(token))
  assert.ok(proves(token, { at: start + 7n * day - second }))
  assert.ok(proves(`${token}\n`))
  assert.ok(!proves(token, { at: start + 7n * day }))
})

test('a token is bound to scope, id and the exact destination string', async () => {
  const { token } = await challenge()
  assert.ok(!proves(token, { scope: account }))
  assert.ok(!proves(token, { scope: { ...zone, id: '2'.repeat(32) } }))
  assert.ok(!proves(token, { scope: { kind: 'account', id: zone.id, account: zone.id } }))
  assert.ok(!proves(token, { destination: `${conf}/` }), 'the same place, but not the same string')
  assert.ok(!proves(token, { destination: 'gs://tenant-logs/edge/20261115' }))
  assert.ok(!proves(token, { by: makeVault(Buffer.alloc(32, 8)) }), 'a token of another service')
})

test('a token with anything added, taken away or changed proves nothing', async () => {
  const { token } = await challenge()
  const [head = '', claims = '', signature = ''] = token.split('.')
  const later = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), exp: 99_999_999_999 }),
  ).toString('base64url')
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  const tampered = [
    `${token}.`,
    `${token}.x`,
    `.${token}`,
    `${head}.${claims}.`,
    `${head}.${claims}`,
    `${head}..${signature}`,
    `.${claims}.${signature}`,
    `${head}.${later}.${signature}`,
    `${none}.${claims}.`,
    `${none}.${claims}.${signature}`,
    token.toUpperCase(),
    `${token}=`,
    `${head}.${claims}.${Buffer.from(signature, 'base64url').toString('base64')}=`,
  ]
  for (const text of tampered) assert.ok(!proves(text), text)
})

test('claims that are no JSON are not even read, nor is another text that the service signed', () => {
  const signed = (text: string) => `${text}.${vault.sign(text)}`
  for (const text of ['.', 'a.b', `e30.${Buffer.from('null').toString('base64url')}`, '%%.%%', 'x.bm90IGpzb24']) {
    assert.ok(!proves(signed(text)), text)
    assert.ok(!proves(`${text}.${createHmac('sha256', key).update(text).digest('base64url')}`), text)
  }
})

test('no text at all makes the judgement throw', () => {
  const part = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(
      fc.oneof(
        part,
        fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
      ),
      (text) => {
        assert.equal(proves(text), false)
      },
    ),
  )
})

test('a relaxed service asks for no challenge only where the string carries a credential', () => {
  const keys = 'access-key-id=AKIAEXAMPLE&secret-access-key=secretsecret'
  const relaxed: Readonly<Record<string, boolean>> = {
    's3://logs/a?region=us-east-1': true,
    [`s3://logs/a?region=us-east-1&${keys}`]: false,
    [`s3://logs/a?region=auto&endpoint=store.example.com&${keys}`]: false,
    [`r2://logs/a?account-id=0123456789abcdef0123456789abcdef&${keys}`]: false,
    'gs://logs/a': true,
    'azure://account.blob.core.windows.net/logs?sv=2022-11-02&sp=cw&se=2035-01-01T00:00:00Z&sig=c2ln': true,
    'datadog://intake.example.com/api/v2/logs?header_DD-API-KEY=k': false,
    'https://log-api.newrelic.com/log/v1?Api-Key=abcdefgh&format=cloudflare': false,
    'splunk://example.com:8088/services/collector/raw?channel=c&header_Authorization=Splunk%20t': false,
    'sumo://endpoint1.example.com/receiver/v1/http/Y29kZQ==': true,
    'https://receiver.example.com/in?header_Authorization=Bearer%20t': false,
    'https://receiver.example.com/in': true,
    'file:///team/logs': true,
  }
  for (const [text, needed] of Object.entries(relaxed)) {
    const judged = judgeDestination(text)
    assert.ok(judged.ok, JSON.stringify(judged))
    assert.equal(needsChallenge(judged.value, 'storage'), needed, text)
    assert.equal(needsChallenge(judged.value, 'always'), true, text)
  }
})
