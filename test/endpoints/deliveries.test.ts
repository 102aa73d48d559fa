/** One real delivery of every kind, through the guarded outside, to something that checks it as the provider would. */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type Body,
  type Destination,
  judgeDestination,
  type Outcome,
  type Parcel,
} from '../../src/destinations/index.ts'
import { type OpenOutside, type OutsideSettings, openOutside } from '../../src/outside.ts'
import {
  type ReceiverKind,
  s3Keys,
  startAzure,
  startGcs,
  startReceiver,
  startS3,
  testAuthority,
  walkStore,
} from './index.ts'

const lines = '{"RayID":"7f1c02a9d4be5a10"}\n{"RayID":"7f1c02a9d4be5a11"}\n'
const bytes = gzipSync(lines)
const at = new Date('2026-01-02T03:04:05Z')

const stops: (() => Promise<unknown>)[] = []
after(() => Promise.all(stops.map((stop) => stop())))
const stopping = <T extends { stop(): Promise<void> }>(server: T): T => {
  stops.push(() => server.stop())
  return server
}

let spooled: Body
before(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-spool-'))
  stops.push(() => rm(directory, { recursive: true }))
  const file = join(directory, 'part.log.gz')
  await writeFile(file, bytes)
  spooled = { file, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
})

function outsideWith(settings: OutsideSettings): OpenOutside {
  const outside = openOutside({
    allowedNetworks: ['127.0.0.0/8'],
    certificates: [testAuthority().cert],
    awsCredentials: async () => s3Keys,
    googleToken: async () => 'token-of-the-operator',
    ...settings,
  })
  stops.push(() => outside.close())
  return outside
}

const judged = (conf: string): Destination => {
  const destination = judgeDestination(conf)
  assert.ok(destination.ok, JSON.stringify(destination))
  return destination.value
}

function send(conf: string, outside: OpenOutside, parcel: Partial<Parcel> = {}): Promise<Outcome> {
  const destination = judged(conf)
  const name = destination.objectName(at, 'part.log.gz')
  const whole = {
    name,
    body: spooled,
    contentType: 'application/x-ndjson',
    contentEncoding: 'gzip',
    batchId: 'job-1-part-0',
  } as const
  return destination.deliver({ ...whole, ...parcel }, outside)
}

test('A: an object arrives in S3, its signature computed again by the store', async () => {
  const store = stopping(await startS3())
  const outside = outsideWith({ endpoints: { s3: new URL(store.url) } })
  const outcome = await send(
    "s3://tenant-logs/it's (a) test!/{DATE}/{HOUR}?region=us-east-1&sse=AES256".replaceAll(' ', '%20'),
    outside,
  )
  assert.deepEqual(outcome, { outcome: 'delivered', status: 200 }, store.errors().join())
  const object = store.objects().get("tenant-logs/it's (a) test!/20260102/03/part.log.gz")
  assert.equal(gunzipSync(object?.body ?? '').toString(), lines)
  assert.equal(object?.headers['x-amz-server-side-encryption'], 'AES256')
  assert.equal(object?.headers['x-amz-acl'], 'bucket-owner-full-control')
  assert.equal(object?.headers['content-type'], 'application/gzip')
})

test('A: an S3-compatible store is reached with the keys in the string, and a wrong key is refused', async () => {
  const certificate = testAuthority().issue(['127.0.0.1'])
  const store = stopping(await startS3({ certificate }))
  const conf = (secret: string) =>
    `s3://tenant-logs/edge?region=auto&endpoint=127.0.0.1:${store.port}&access-key-id=${s3Keys.accessKeyId}&secret-access-key=${encodeURIComponent(secret)}`
  const outside = outsideWith({ awsCredentials: async () => assert.fail('not the operator identity') })
  assert.equal((await send(conf(s3Keys.secretAccessKey), outside)).outcome, 'delivered')
  assert.ok(store.objects().has('tenant-logs/edge/part.log.gz'))
  const outcome = await send(conf('another/secret'), outside)
  assert.equal(outcome.outcome, 'refused')
  assert.match(JSON.stringify(outcome), /SignatureDoesNotMatch/)
})

test('B: an object arrives in Google Cloud Storage with the token of the service', async () => {
  const certificate = testAuthority().issue(['127.0.0.1'])
  const store = stopping(await startGcs({ token: 'token-of-the-operator', certificate }))
  const outside = outsideWith({ endpoints: { gcs: new URL(store.url) } })
  assert.equal((await send('gs://tenant_logs/edge/{DATE}', outside)).outcome, 'delivered')
  const object = store.objects().get('tenant_logs/edge/20260102/part.log.gz')
  assert.equal(gunzipSync(object?.body ?? '').toString(), lines)
  const stranger = outsideWith({ endpoints: { gcs: new URL(store.url) }, googleToken: async () => 'stale' })
  assert.match(JSON.stringify(await send('gs://tenant_logs/edge', stranger)), /answered 401: Invalid Credentials/)
})

test('B: an emulator on plain http gets the object and no token', async () => {
  const store = stopping(await startGcs())
  const outside = outsideWith({
    endpoints: { gcs: new URL(store.url) },
    googleToken: async () => assert.fail('no token'),
  })
  assert.equal((await send('gs://tenant_logs/edge', outside)).outcome, 'delivered')
  assert.ok(store.objects().has('tenant_logs/edge/part.log.gz'))
})

test('the emulators of A and B pass the walk that `npm run interop` takes through real servers', async () => {
  const buckets = ['tenant-logs']
  const s3 = stopping(await startS3({ buckets }))
  await walkStore({
    outside: outsideWith({ endpoints: { s3: new URL(s3.url) } }),
    conf: (directory) => `s3://tenant-logs/${directory}?region=us-east-1`,
    forbidden: 's3://no-such-bucket/x?region=us-east-1',
    read: async (key) => s3.objects().get(`tenant-logs/${key}`)?.body,
  })
  const gcs = stopping(await startGcs({ buckets }))
  await walkStore({
    outside: outsideWith({ endpoints: { gcs: new URL(gcs.url) } }),
    conf: (directory) => `gs://tenant-logs/${directory}`,
    forbidden: 'gs://no-such-bucket/x',
    read: async (key) => gcs.objects().get(`tenant-logs/${key}`)?.body,
  })
})

test('C: a blob arrives in Azurite through its signature; one without the right to write is refused', async () => {
  const store = stopping(await startAzure())
  const outside = outsideWith({ endpoints: { azure: new URL(store.url) } })
  const conf = await store.conf('tenant-logs', 'edge/{DATE}')
  assert.deepEqual(await send(conf, outside), { outcome: 'delivered', status: 201 })
  assert.deepEqual(await send(conf, outside), { outcome: 'delivered', status: 201 }, 'a repeat overwrites')
  const objects = await store.objects('tenant-logs')
  assert.deepEqual([...objects.keys()], ['tenant-logs/edge/20260102/part.log.gz'])
  assert.equal(gunzipSync(objects.get('tenant-logs/edge/20260102/part.log.gz') ?? '').toString(), lines)
  const forged = conf.replace(/sig=.*/, `sig=${encodeURIComponent(Buffer.alloc(32).toString('base64'))}`)
  const outcome = await send(forged, outside)
  assert.deepEqual([outcome.outcome, outcome.status], ['refused', 403])
  const sight = await judged(forged).look?.('edge/20260102/part.log.gz', outside)
  assert.deepEqual(sight, { sight: 'hidden', reason: 'answered 403 to a look at the object' })
})

const addresses: Readonly<Record<ReceiverKind, (host: string, port: number) => string>> = {
  datadog: (host) => `datadog://${host}/api/v2/logs?header_DD-API-KEY=key-of-the-tenant&ddsource=edge&service=web`,
  newrelic: (_, port) => `https://log-api.newrelic.com:${port}/log/v1?Api-Key=key-of-the-tenant&format=cloudflare`,
  splunk: (host) =>
    `splunk://${host}/services/collector/raw?channel=c0ffee&insecure-skip-verify=false&sourcetype=edge%3Ajson&header_Authorization=Splunk%20key-of-the-tenant`,
  sumo: (host) => `sumo://${host}/receiver/v1/http/key-of-the-tenant`,
  https: (host) => `https://${host}/ingest?header_Authorization=Bearer%20key-of-the-tenant&tenant=web`,
}

for (const kind of ['datadog', 'newrelic', 'splunk', 'sumo', 'https'] as const) {
  test(`${kind}: a batch arrives as one POST, compressed, with what the provider asks for`, async () => {
    const receiver = stopping(await startReceiver(kind))
    const outside = outsideWith({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    const conf = addresses[kind](receiver.host, receiver.port)
    assert.equal(judged(conf).kind, kind)
    assert.equal((await send(conf, outside)).outcome, 'delivered', receiver.complaints().join())
    const [request] = receiver.requests()
    assert.equal(request?.text, lines)
    assert.equal(request?.headers['content-encoding'], 'gzip')
    assert.deepEqual(request?.bytes, bytes)
  })

  test(`${kind}: a busy receiver is tried later, one that says no is not, and neither reason shows the key`, async () => {
    const receiver = stopping(await startReceiver(kind))
    const outside = outsideWith({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    const conf = addresses[kind](receiver.host, receiver.port)
    receiver.misbehave(
      { status: 503, headers: { 'retry-after': '9' }, body: 'key-of-the-tenant is busy' },
      { status: 403, body: '{"message":"key-of-the-tenant is unknown"}' },
    )
    const [busy, unknown] = [await send(conf, outside), await send(conf, outside)]
    assert.deepEqual([busy.outcome, 'afterMs' in busy && busy.afterMs, unknown.outcome], ['retry', 9000, 'refused'])
    assert.ok(!JSON.stringify([busy, unknown]).includes('key-of-the-tenant'), JSON.stringify([busy, unknown]))
  })
}

test('F: Splunk says more with its code than with its status', async () => {
  const receiver = stopping(await startReceiver('splunk'))
  const conf = addresses.splunk(receiver.host, receiver.port)
  const outcomes = []
  for (const [status, code] of [
    [200, 9],
    [400, 9],
    [400, 7],
    [200, 4],
    [503, 9],
  ] as const) {
    receiver.misbehave({ status, body: JSON.stringify({ text: 'said so', code }) })
    outcomes.push((await send(conf, outsideWith({}))).outcome)
  }
  assert.deepEqual(outcomes, ['retry', 'retry', 'refused', 'refused', 'retry'])
})

test('https: the signature holds for the bytes as sent, with the new secret and with the old', async () => {
  const receiver = stopping(await startReceiver('https'))
  const secrets = ['whsec_bmV3ZXN0IHNlY3JldA==', 'whsec_b2xkZXIgc2VjcmV0']
  await send(addresses.https(receiver.host, receiver.port), outsideWith({}), { signingSecrets: secrets })
  const [request] = receiver.requests()
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = request?.headers ?? {}
  assert.equal(id, 'job-1-part-0')
  assert.ok(Math.abs(Number(time) - Date.now() / 1000) < 60)
  const expected = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(6), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(bytes).digest('base64')}`
  })
  assert.equal(signatures, expected.join(' '))
})

test('file: a spooled file arrives below the root', async () => {
  const root = await mkdtemp(join(tmpdir(), 'spillway-files-'))
  stops.push(() => rm(root, { recursive: true }))
  assert.equal((await send('file:///team/{DATE}', outsideWith({ fileRoot: root }))).outcome, 'delivered')
  assert.deepEqual(await readFile(join(root, 'team/20260102/part.log.gz')), bytes)
})
