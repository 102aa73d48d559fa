/** The official client of the hosted product, unmodified, against our service: every method it has for logs, and those it finds its way by. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Cloudflare from 'cloudflare'
import { WebSocket } from 'ws'
import { access, logs } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

let house: House
let files: string
let sdk: Cloudflare
let zone: { zone_id: string }
let account: { account_id: string }

before(async () => {
  files = await mkdtemp(join(tmpdir(), 'spillway-sdk-'))
  house = await startHouse({ environment: { SPILLWAY_FILE_ROOT: files, SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' } })
  sdk = new Cloudflare({
    baseURL: `${house.service.url}/client/v4`,
    apiEmail: house.credential.email,
    apiKey: house.credential.key,
  })
  zone = { zone_id: house.zone }
  account = { account_id: house.account }
})
after(async () => {
  await house.stop()
  await rm(files, { recursive: true, force: true })
})

const challengeAt = async (filename: string | undefined) => (await readFile(join(files, filename ?? ''), 'utf8')).trim()

async function gather<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of list) items.push(item)
  return items
}

test('logpush.ownership and logpush.validate: prove a destination, and ask about it first', async () => {
  const destination_conf = 'file:///sdk/ownership/{DATE}'
  const challenge = await sdk.logpush.ownership.create({ ...zone, destination_conf })
  assert.deepEqual([challenge?.valid, challenge?.message], [true, ''])
  const ownership_challenge = await challengeAt(challenge?.filename)
  assert.deepEqual(await sdk.logpush.ownership.validate({ ...zone, destination_conf, ownership_challenge }), {
    valid: true,
  })
  const stale = { ...zone, destination_conf, ownership_challenge: '00000000000000000000' }
  assert.deepEqual(await sdk.logpush.ownership.validate(stale), { valid: false })

  assert.deepEqual(await sdk.logpush.validate.destination({ ...zone, destination_conf }), { valid: true, message: '' })
  const nowhere = await sdk.logpush.validate.destination({ ...account, destination_conf: 'nonsense://x' })
  assert.equal(nowhere?.valid, false)
  assert.deepEqual(await sdk.logpush.validate.destinationExists({ ...zone, destination_conf }), { exists: false })
  const origin = (logpull_options: string) => sdk.logpush.validate.origin({ ...zone, logpull_options })
  assert.deepEqual(await origin('fields=ClientIP,RayID&timestamps=rfc3339'), { valid: true, message: '' })
  const wrong = await origin('fields=Nope')
  assert.equal(wrong?.valid, false)
  assert.match(wrong?.message ?? '', /http_requests has no field "Nope"/)
})

test('logpush.jobs: create, get, update, list and delete, in the spelling of the client', async () => {
  const destination_conf = 'file:///sdk/jobs/{DATE}'
  const challenge = await sdk.logpush.ownership.create({ ...zone, destination_conf })
  const made = await sdk.logpush.jobs.create({
    ...zone,
    destination_conf,
    dataset: 'http_requests',
    name: 'example.com',
    logpull_options: 'fields=ClientIP,RayID&timestamps=rfc3339',
    filter: '{"where":{"key":"ClientCountry","operator":"!eq","value":"ca"}}',
    filter_attack_traffic: false,
    max_upload_records: 1000,
    ownership_challenge: await challengeAt(challenge?.filename),
  })
  assert.ok(made?.id)
  assert.deepEqual(
    [made.enabled, made.kind, made.name, made.logpull_options, made.max_upload_records, made.last_complete],
    [false, '', 'example.com', 'fields=ClientIP,RayID&timestamps=rfc3339', 1000, null],
  )
  assert.ok(!('logfetch_options' in made) && !('ownership_challenge' in made))
  assert.deepEqual(await sdk.logpush.jobs.get(made.id, zone), made)

  const options = {
    field_names: ['RayID'],
    output_type: 'csv' as const,
    timestamp_format: 'rfc3339ms' as const,
    'CVE-2021-44228': true,
  }
  const updated = await sdk.logpush.jobs.update(made.id, { ...zone, enabled: true, output_options: options })
  assert.deepEqual([updated?.enabled, updated?.output_options], [true, options])
  assert.equal(updated?.logpull_options, made.logpull_options)

  assert.deepEqual(await gather(sdk.logpush.jobs.list(zone)), [updated])
  assert.deepEqual(await gather(sdk.logpush.datasets.jobs.get('http_requests', zone)), [updated])
  assert.deepEqual(await gather(sdk.logpush.datasets.jobs.get('dns_logs', zone)), [])
  assert.deepEqual(await gather(sdk.logpush.jobs.list(account)), [])
  assert.deepEqual(await sdk.logpush.validate.destinationExists({ ...zone, destination_conf }), { exists: true })
  assert.deepEqual(await sdk.logpush.jobs.delete(made.id, zone), { id: made.id })
  await assert.rejects(sdk.logpush.jobs.get(made.id, zone), Cloudflare.NotFoundError)
})

test('logpush.jobs: a destination that carries its own credential needs no challenge, others do', async () => {
  const keys = 'access-key-id=AKIAEXAMPLE&secret-access-key=not-a-secret'
  const exempt = [
    `s3://bucket/sdk?region=eu-west-1&${keys}&endpoint=store.example.com`,
    `r2://bucket/sdk?account-id=0123456789abcdef0123456789abcdef&${keys}`,
    'datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=0123',
    'splunk://splunk.example.com:8088/services/collector/raw?channel=0f9d5b1e-9b54-4a52-a1d1-3f6ea0b1f8a1&insecure-skip-verify=false&sourcetype=x&header_Authorization=Splunk%20t',
    'https://log-api.newrelic.com/log/v1?Api-Key=k&format=cloudflare',
    'https://logs.example.com/take?header_Authorization=Basic%20eDp5',
  ]
  for (const destination_conf of exempt) {
    const made = await sdk.logpush.jobs.create({ ...account, dataset: 'audit_logs', destination_conf })
    assert.equal(made?.destination_conf, destination_conf)
    await sdk.logpush.jobs.delete(made?.id ?? 0, account)
  }
  for (const destination_conf of ['s3://bucket/sdk?region=eu-west-1', 'gs://bucket/sdk', 'file:///sdk/unproven']) {
    await assert.rejects(sdk.logpush.jobs.create({ ...account, dataset: 'audit_logs', destination_conf }), (error) => {
      assert.ok(error instanceof Cloudflare.BadRequestError)
      assert.deepEqual(
        error.errors.map(({ code, message }) => [code, message]),
        [[1002, 'incorrect ownership challenge']],
      )
      return true
    })
  }
})

test('logpush.datasets.fields: every field with its type and what it is', async () => {
  const fields = (await sdk.logpush.datasets.fields.get('http_requests', zone)) as Record<string, string>
  assert.match(fields.ClientIP ?? '', /^string; ./)
  assert.match(fields.EdgeStartTimestamp ?? '', /^int or string; ./)
  assert.deepEqual(Object.keys(fields), Object.keys(fields).toSorted())
  assert.ok(await sdk.logpush.datasets.fields.get('audit_logs', account))
  await assert.rejects(sdk.logpush.datasets.fields.get('audit_logs', zone), Cloudflare.BadRequestError)
})

test('logpush.edge: a session is created, listed, and read', async () => {
  const made = await sdk.logpush.edge.create({ ...zone, fields: 'ClientIP,RayID', sample: 1, filter: '' })
  assert.equal(made?.fields, 'ClientIP,RayID')
  assert.deepEqual(await gather(sdk.logpush.edge.get(zone)), [made])
  const socket = new WebSocket(made?.destination_conf ?? '')
  await new Promise((resolve) => socket.once('open', resolve))
  const message = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))))
  await house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from('{"RayID":"5f00000000000000","ClientIP":"192.0.2.7"}'),
  })
  assert.equal(await message, '{"ClientIP":"192.0.2.7","RayID":"5f00000000000000","sampleInterval":1}\n')
  socket.close()
  await new Promise((resolve) => socket.once('close', resolve))
})

test('logs.control.retention, logs.received and logs.rayid: switch on, then fetch', async () => {
  const before = Date.now()
  assert.deepEqual(await sdk.logs.control.retention.create({ ...zone, flag: true }), { flag: true })
  assert.deepEqual(await sdk.logs.control.retention.get(zone), { flag: true })
  await house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from('{"RayID":"5f0000000000000a","EdgeStartTimestamp":1767323045000000000}'),
  })
  // One record parses as JSON, and the client hands it on parsed; of several it hands on the text.
  const range = { start: new Date(before).toISOString(), end: new Date().toISOString() }
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).trim()
  const found = await sdk.logs.received.get({ ...zone, ...range, fields: 'RayID', count: 10, sample: 1 })
  assert.equal(text(found), '{"RayID":"5f0000000000000a"}')
  const options = { ...zone, fields: 'RayID,EdgeStartTimestamp', timestamps: 'rfc3339' as const }
  const byRay = await sdk.logs.RayID.get('5f0000000000000a', options)
  assert.equal(text(byRay), '{"RayID":"5f0000000000000a","EdgeStartTimestamp":"2026-01-02T03:04:05Z"}')
  const fields = (await sdk.logs.received.fields.get(zone)) as Record<string, string>
  assert.match(fields.RayID ?? '', /^string; ./)
  await assert.rejects(
    sdk.logs.received.get({ ...zone, start: range.end, end: range.start }),
    Cloudflare.BadRequestError,
  )
  assert.deepEqual(await sdk.logs.control.retention.create({ ...zone, flag: false }), { flag: false })
})

test('accounts, zones and user: lists are followed page by page, filtered and ordered', async () => {
  const names = ['a.example', 'b.example', 'c.example']
  for (const name of names)
    await house.client.call(access.createZone, { body: { name, account: { id: house.account } } })
  const pages = []
  for await (const page of (await sdk.zones.list({ per_page: 5 })).iterPages()) pages.push(page.getPaginatedItems())
  assert.equal(pages.flat().length, 4)
  const listed = async (query: Cloudflare.Zones.ZoneListParams) =>
    (await gather(sdk.zones.list(query))).map(({ name }) => name)
  assert.deepEqual(await listed({ name: 'b.example' }), ['b.example'])
  assert.deepEqual((await listed({ order: 'name', direction: 'desc' })).slice(-3), names.toReversed())
  assert.equal((await listed({ account: { id: house.account } })).length, 4)
  assert.deepEqual(await listed({ account: { id: '0'.repeat(32) } }), [])
  assert.deepEqual(await listed({ status: 'pending' }), [])
  assert.equal((await listed({ status: 'active' })).length, 4)
  assert.deepEqual(await listed({ name: 'starts_with:b.' }), ['b.example'])
  assert.deepEqual(await listed({ name: 'contains:.example', order: 'name' }), names)
  assert.deepEqual(await listed({ name: 'ends_with:_example' }), [])
  assert.deepEqual(await listed({ name: 'contains:%' }), [])
  assert.deepEqual(await listed({ name: 'a.example', status: 'pending', match: 'any' }), ['a.example'])
  const seen = await sdk.zones.get(zone)
  assert.deepEqual([seen.id, seen.account.id], [house.zone, house.account])

  const [own] = await gather(sdk.accounts.list({ direction: 'desc', per_page: 5 }))
  assert.equal(own?.id, house.account)
  assert.equal((await sdk.accounts.get(account)).id, house.account)
  assert.deepEqual(await gather(sdk.accounts.list({ name: 'nobody' })), [])
  const user = (await sdk.user.get()) as { email?: string }
  assert.equal(user.email, house.credential.email)
})

test('auditLogs: nested parameters narrow the list', async () => {
  const entries = await gather(
    sdk.auditLogs.list({
      ...account,
      action: { type: 'create' },
      actor: { email: house.credential.email },
      zone: { name: 'b.example' },
      since: '2020-01-01T00:00:00Z',
      direction: 'asc',
      per_page: 5,
    }),
  )
  assert.equal(entries.length, 1)
  assert.deepEqual([entries[0]?.action?.type, entries[0]?.resource?.type], ['create', 'zone'])
  const none = await gather(sdk.auditLogs.list({ ...account, action: { type: 'delete' }, zone: { name: 'b.example' } }))
  assert.deepEqual(none, [])
})

test('a token is as good as a key, and refusals come as the classes of the client', async () => {
  const { value } = await house.client.call(access.createToken, {
    scope: house.accountScope,
    body: { name: 'sdk', permissions: ['logs:read'] } as never,
  })
  const reader = new Cloudflare({ baseURL: `${house.service.url}/client/v4`, apiToken: value as string })
  assert.deepEqual(await gather(reader.logpush.jobs.list(zone)), [])
  await assert.rejects(
    reader.logpush.ownership.create({ ...zone, destination_conf: 'file:///sdk/no' }),
    Cloudflare.PermissionDeniedError,
  )
  const stranger = new Cloudflare({ baseURL: `${house.service.url}/client/v4`, apiToken: 'x'.repeat(40) })
  await assert.rejects(stranger.user.get(), Cloudflare.PermissionDeniedError)
  await assert.rejects(sdk.logpush.jobs.get(999_999, zone), (error) => {
    assert.ok(error instanceof Cloudflare.NotFoundError)
    assert.match(error.errors[0]?.message ?? '', /job not found/)
    return true
  })
  await assert.rejects(
    sdk.logpush.jobs.create({ ...zone, destination_conf: 'file:///sdk/x', output_options: { sample_rate: 7 } }),
    (error) => {
      assert.ok(error instanceof Cloudflare.BadRequestError)
      const [first] = error.errors as unknown as { source: { pointer: string } }[]
      assert.equal(first?.source.pointer, '/output_options/sample_rate')
      return true
    },
  )
  await assert.rejects(
    sdk.logpush.jobs.create({ ...zone, destination_conf: 'file:///sdk/x', logpull_options: 'fields=Nope' }),
    (error) => {
      assert.ok(error instanceof Cloudflare.BadRequestError)
      const [first] = error.errors as unknown as { source: { pointer: string } }[]
      assert.equal(first?.source.pointer, '/logpull_options')
      return true
    },
  )
})
