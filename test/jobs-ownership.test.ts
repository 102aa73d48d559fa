/** Ownership through the API: what a token proves, for whom, how long, and where none is asked for. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { second } from '../src/base/index.ts'
import { logexport } from '../src/contract/index.ts'
import { type Answer, type Job, type JobHouse, startJobHouse } from './journeys/job-house.ts'

const day = 24n * 3600n * second
const wrong = [[1002, 'incorrect ownership challenge', '/ownership_challenge']]
const errorsOf = ({ body }: Answer) => body.errors.map(({ code, message, source }) => [code, message, source?.pointer])

/** Strings that carry their own credential, and strings that do not. */
const keys = 'access-key-id=AKIAEXAMPLE&secret-access-key=secretsecret'
const withCredential = [
  `s3://logs/a?region=us-east-1&${keys}`,
  `s3://logs/b?region=auto&endpoint=store.example.com&${keys}`,
  `r2://logs/a?account-id=0123456789abcdef0123456789abcdef&${keys}`,
  'datadog://intake.example.com/api/v2/logs?header_DD-API-KEY=k',
  'https://log-api.eu.newrelic.com/log/v1?Api-Key=abcdefgh&format=cloudflare',
  'splunk://example.com:8088/services/collector/raw?channel=c&header_Authorization=Splunk%20t',
  'https://receiver.example.com/in?header_Authorization=Bearer%20t',
]
const withoutCredential = [
  's3://logs/plain?region=us-east-1',
  'gs://logs/plain',
  'azure://account.blob.core.windows.net/logs?sv=2022-11-02&sp=cw&se=2035-01-01T00:00:00Z&sig=c2ln',
  'sumo://endpoint1.example.com/receiver/v1/http/Y29kZQ==',
  'https://receiver.example.com/open',
  'file:///plain',
]

/** One asks everybody for proof, one trusts who knows a credential; each is another service to the other. */
let house: JobHouse
let lenient: JobHouse
before(async () => {
  house = await startJobHouse()
  lenient = await startJobHouse({ environment: { SPILLWAY_OWNERSHIP: 'storage' } })
})
after(async () => {
  await house.stop()
  await lenient.stop()
})

describe('a service that asks everybody for proof', () => {
  const create = (conf: string, ownership_challenge?: unknown, scope: JobHouse['zoneScope'] = house.zoneScope) =>
    house.ask('POST', '/jobs', { destination_conf: conf, ownership_challenge }, { scope })
  const proves = async (conf: string, token: string, scope: { zone: string } | { account: string } = house.zoneScope) =>
    house.client.call(logexport.validateChallenge, {
      scope,
      body: { destination_conf: conf, ownership_challenge: token },
    })

  test('no kind gets a job without a token', async () => {
    for (const conf of [...withCredential, ...withoutCredential]) {
      for (const token of [undefined, null, '']) assert.deepEqual(errorsOf(await create(conf, token)), wrong, conf)
    }
  })

  test('a foreign, altered or made-up token is refused with the one answer, and is not valid', async () => {
    const conf = 'file:///owned'
    const tenant = await house.newTenant('neighbours')
    const theirs = { zone: tenant.zone }
    const token = await house.prove(conf)
    const [head = '', claims = '', signature = ''] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const bad = [
      await house.prove(conf, theirs),
      await house.prove(conf, house.accountScope),
      await house.prove(`${conf}/`),
      await house.prove('file:///another'),
      `${token}x`,
      `${token}.x`,
      `${head}.${claims}`,
      `${head}.${claims}.`,
      `${none}.${claims}.`,
      `${claims}.${head}.${signature}`,
      '..',
      '...',
      '.',
      '00000000000000000000',
      'not a token at all!',
      '%%%.%%%.%%%',
      `e30.${Buffer.from('[]').toString('base64url')}.e30`,
      '\u{1f511}',
      'a'.repeat(4096),
    ]
    for (const text of bad) {
      const answer = await create(conf, text)
      assert.deepEqual([answer.status, errorsOf(answer)], [400, wrong], text.slice(0, 40))
      assert.deepEqual(await proves(conf, text), { valid: false }, text.slice(0, 40))
    }
    assert.deepEqual(await proves(conf, token), { valid: true })
    assert.deepEqual(await proves(conf, token, theirs), { valid: false })
    assert.deepEqual(await proves('nonsense', token), { valid: false })
  })

  // Before the clock of one of them is moved on: then it would be too old besides.
  test('a token of another service proves nothing here', async () => {
    const token = await lenient.prove('file:///owned')
    assert.deepEqual(await proves('file:///owned', token), { valid: false })
  })

  test('a token serves again within seven days, and ends with them', async () => {
    const conf = 'file:///again/{DATE}'
    const token = await house.prove(conf)
    for (const pass of ['at once', 'after the job was deleted', 'shortly before the end']) {
      if (pass === 'shortly before the end') house.tick(7n * day - 60n * second)
      const created = await create(conf, `${token}\n`)
      assert.equal(created.status, 201, pass)
      await house.ask('DELETE', `/jobs/${(created.body.result as Job).id}`)
    }
    house.tick(day)
    assert.deepEqual(await proves(conf, token), { valid: false })
    assert.deepEqual(errorsOf(await create(conf, token)), wrong)
    const renewed = await house.prove(conf)
    assert.equal((await create(conf, renewed)).status, 201)
  })

  test('asking again does not end the tokens before', async () => {
    const [first, second] = [await house.prove('file:///twice'), await house.prove('file:///twice')]
    assert.notEqual(first, '')
    for (const token of [first, second]) assert.deepEqual(await proves('file:///twice', token), { valid: true })
  })

  test('a string that names no destination gets valid: false with every reason, and is not written to', async () => {
    const scope = house.zoneScope
    const body = { destination_conf: 's3://logs/../x?sse=none' }
    const challenge = await house.client.call(logexport.issueChallenge, { scope, body })
    assert.deepEqual([challenge.valid, challenge.filename], [false, ''])
    for (const part of [/region is missing/, /"\.\." segments/, /sse: expected AES256/])
      assert.match(challenge.message, part)
    const check = await house.client.call(logexport.checkDestination, { scope, body })
    assert.deepEqual(check, { valid: false, message: challenge.message })
    const exists = await house.ask('POST', '/validate/destination/exists', body)
    assert.deepEqual([exists.status, exists.body.errors.length], [400, 3])
  })
})

describe('proof where the string carries a credential', () => {
  const relaxed = async (house: JobHouse, word: 'logexport' | 'logpush') => {
    for (const conf of withCredential) {
      const forged = await house.ask('POST', '/jobs', { destination_conf: conf, ownership_challenge: 'x' }, { word })
      assert.deepEqual(errorsOf(forged), wrong, 'a wrong token is worse than none')
      assert.equal((await house.ask('POST', '/jobs', { destination_conf: conf }, { word })).status, 201, conf)
    }
    for (const conf of withoutCredential)
      assert.deepEqual(errorsOf(await house.ask('POST', '/jobs', { destination_conf: conf }, { word })), wrong, conf)
  }

  test('is not asked for when the operator relaxed it, and everybody else still gives it', async () => {
    await relaxed(lenient, 'logexport')
  })

  test('is not asked of clients that speak the hosted dialect, in their words', async () => {
    await relaxed(house, 'logpush')
    const hosted = { word: 'logpush' } as const
    const body = { destination_conf: `${withCredential[6]}&team=2`, logpull_options: 'fields=RayID' }
    const created = await house.ask('POST', '/jobs', body, hosted)
    const job = created.body.result as { id: number; logpull_options: string }
    assert.equal(created.status, 201)
    assert.equal(job.logpull_options, 'fields=RayID')
    assert.ok(!('logfetch_options' in job))
    const changed = await house.ask('PUT', `/jobs/${job.id}`, { logpull_options: 'sample=0.5' }, hosted)
    assert.equal((changed.body.result as typeof job).logpull_options, 'sample=0.5')
    const listed = await house.ask('GET', '/jobs', undefined, hosted)
    assert.ok((listed.body.result as object[]).every((one) => 'logpull_options' in one))
    const own = await house.ask('GET', `/jobs/${job.id}`)
    assert.equal((own.body.result as Job).logfetch_options, 'sample=0.5')
    const origin = { logpull_options: 'fields=RayID', dataset: 'http_requests' }
    const judged = await house.ask('POST', '/validate/origin', origin, hosted)
    assert.deepEqual(judged.body.result, { valid: true, message: '' })
    const ours = await house.ask('POST', '/validate/origin', origin)
    assert.equal(ours.status, 400, 'our own paths speak our own words')
  })
})
