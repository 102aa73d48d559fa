/** The guarded outside: what it refuses to touch, what it survives, and that it dials what it judged. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { hostile, type Receiver, selfSigned, startReceiver, testAuthority } from '../test/endpoints/index.ts'
import {
  judgeDestination,
  makeNetworkPolicy,
  type Outcome,
  OutsideError,
  type Parcel,
  type Trouble,
} from './destinations/index.ts'
import { type OpenOutside, type OutsideSettings, openOutside, type Resolver } from './outside.ts'

const parcel: Parcel = {
  name: 'edge/part.log',
  body: Buffer.from('{"RayID":"7f1c02a9d4be5a10"}\n'),
  contentType: 'application/x-ndjson',
  contentEncoding: 'identity',
  batchId: 'batch-1',
}

const opened: { close(): Promise<void> }[] = []
const started: Receiver[] = []
after(async () => {
  await Promise.all(opened.map((outside) => outside.close()))
  await Promise.all(started.map((receiver) => receiver.stop()))
})

function outsideWith(settings: OutsideSettings = {}): OpenOutside {
  const outside = openOutside({
    allowedNetworks: ['127.0.0.1/32'],
    certificates: [testAuthority().cert],
    timeouts: { connectMs: 1000, idleMs: 400, wholeMs: 2000 },
    resolve: async (name) => assert.fail(`nobody should ask for ${name}`),
    ...settings,
  })
  opened.push(outside)
  return outside
}

async function receiverWith(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args)
  started.push(receiver)
  return receiver
}

async function deliver(conf: string, outside: OpenOutside): Promise<Outcome> {
  const judged = judgeDestination(conf)
  assert.ok(judged.ok, JSON.stringify(judged))
  return judged.value.deliver(parcel, outside)
}
const reasonOf = (outcome: Outcome): string => (outcome.outcome === 'delivered' ? 'delivered' : outcome.reason)
const isTrouble = (trouble: Trouble) => (error: unknown) => error instanceof OutsideError && error.trouble === trouble

test('the table of hostile destinations has at least 80 of them, no two alike', () => {
  assert.ok(hostile.length >= 80, `only ${hostile.length}`)
  assert.equal(new Set(hostile.map(({ conf }) => conf)).size, hostile.length)
})

for (const { conf, says, dns } of hostile) {
  test(`refused: ${conf.slice(0, 80)}`, async () => {
    const questions = [...(dns ?? [])]
    const resolve = async () => {
      const answer = questions.shift() ?? assert.fail('nobody should ask twice')
      if (answer.length === 0) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return answer.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }))
    }
    // Not even an operator's allow-list for another network opens these.
    const outside = outsideWith({ allowedNetworks: ['10.99.0.0/16'], resolve })
    const judged = judgeDestination(conf)
    const reason = judged.ok
      ? reasonOf(await judged.value.deliver(parcel, outside))
      : judged.reasons.map((r) => r.message).join('; ')
    assert.match(reason, says)
  })
}

test('no allow-list opens a metadata service', () => {
  const policy = makeNetworkPolicy(['0.0.0.0/0', '::/0'])
  assert.ok(policy.ok)
  assert.equal(policy.value.refuses('10.0.0.5'), undefined)
  assert.equal(policy.value.refuses('169.254.169.254'), 'a metadata service')
  assert.equal(policy.value.refuses('fd00:ec2::254'), 'a metadata service')
})

test('an allow-list opens exactly its own networks', () => {
  const policy = makeNetworkPolicy(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7'])
  assert.ok(policy.ok)
  for (const open of ['10.1.255.255', 'fd00:1:2::3', '192.168.7.7', '93.184.216.34', '2606:2800:220:1::1']) {
    assert.equal(policy.value.refuses(open), undefined, open)
  }
  for (const shut of ['10.2.0.0', 'fd00:2::1', '192.168.7.8', '10.1.0', '010.1.0.1', 'fe80::1%eth0', '1.2.3.4.5', '']) {
    assert.notEqual(policy.value.refuses(shut), undefined, shut)
  }
})

test('a network that cannot be read keeps the service from starting', () => {
  for (const network of ['10.0.0.0/33', 'localhost', '10.0.0/8', '', '::/129', '1.2.3.4/']) {
    assert.throws(() => openOutside({ allowedNetworks: [network] }), /allowed networks/, network)
  }
})

test('a name is resolved once and that address is dialled, whatever the name says next', async () => {
  const receiver = await receiverWith('https', { certificate: testAuthority().issue(['rebind.example.com']) })
  const answers = ['127.0.0.1', '10.0.0.5']
  let asked = 0
  const outside = outsideWith({ resolve: async () => [{ address: answers[asked++] ?? '', family: 4 }] })
  const outcome = await deliver(`https://rebind.example.com:${receiver.port}/`, outside)
  assert.deepEqual([outcome.outcome, asked, receiver.requests().length], ['delivered', 1, 1])
})

test('the next connection asks again and is refused when the name has moved inside', async () => {
  const receiver = await receiverWith('https', { certificate: testAuthority().issue(['rebind.example.com']) })
  const answers = ['127.0.0.1', '10.0.0.5']
  const resolve = async () => [{ address: answers.shift() ?? '', family: 4 as const }]
  const conf = `https://rebind.example.com:${receiver.port}/`
  const outside = outsideWith({ resolve })
  receiver.misbehave({ status: 204, headers: { connection: 'close' } })
  assert.equal((await deliver(conf, outside)).outcome, 'delivered')
  assert.match(reasonOf(await deliver(conf, outside)), /private network/)
  assert.equal(receiver.requests().length, 0)
})

test('a resolver that fails, is silent or knows nothing is a closed door', async () => {
  const never = new Promise<never>(() => {})
  const cases: [Resolver, RegExp][] = [
    [async () => Promise.reject(Object.assign(new Error('SERVFAIL'), { code: 'EAI_AGAIN' })), /cannot be resolved/],
    [async () => [], /has no address/],
    [() => never, /no answer for the name/],
    [async () => [{ address: 'not-an-address', family: 4 }], /not an address/],
  ]
  for (const [resolve, says] of cases) {
    const outside = outsideWith({ resolve, timeouts: { connectMs: 100 } })
    assert.match(reasonOf(await deliver('https://name.example.com/', outside)), says)
  }
})

test('a redirect is not followed', async () => {
  const [target, lure] = [await receiverWith('https'), await receiverWith('https')]
  for (const status of [301, 302, 307, 308]) {
    lure.misbehave({ status, headers: { location: `${target.url}/` } })
    const outcome = await deliver(`https://${lure.host}/`, outsideWith())
    assert.deepEqual([outcome.outcome, outcome.status], ['refused', status])
  }
  assert.equal(target.requests().length, 0)
})

test('a receiver that hangs, resets, fails or drips is given up on in time', async () => {
  const receiver = await receiverWith('https')
  const cases = [
    ['hang', /no answer from .* in 0\.4 s/],
    ['slow body', /no answer from .* in 0\.4 s/],
    ['reset', /the connection broke/],
    [{ status: 500, body: 'oops' }, /answered 500: oops/],
    [{ status: 503, headers: { 'retry-after': '7' } }, /answered 503/],
  ] as const
  for (const [how, says] of cases) {
    receiver.misbehave(how)
    const outcome = await deliver(`https://${receiver.host}/`, outsideWith())
    assert.equal(outcome.outcome, 'retry')
    assert.match(reasonOf(outcome), says)
  }
})

test('an upload that nobody reads is given up on', async () => {
  const receiver = await receiverWith('https')
  receiver.misbehave('hang')
  const big = { ...parcel, body: Buffer.alloc(64 * 1024 * 1024) }
  const judged = judgeDestination(`https://${receiver.host}/`)
  assert.ok(judged.ok)
  assert.match(reasonOf(await judged.value.deliver(big, outsideWith())), /no answer from .* in 0\.4 s/)
})

test('an endless answer is cut at 64 KB', async () => {
  const receiver = await receiverWith('https')
  receiver.misbehave('endless body')
  const url = new URL(`https://${receiver.host}/`)
  const answer = await outsideWith().send({ method: 'POST', url, headers: {}, body: parcel.body })
  assert.equal(answer.body.length, 65_536)
})

test('a certificate that does not hold is refused: unknown, for another name, expired', async () => {
  const past = { from: new Date('2020-01-01'), to: new Date('2021-01-01') }
  const bad = [
    [selfSigned(['127.0.0.1']), /DEPTH_ZERO_SELF_SIGNED_CERT/],
    [testAuthority().issue(['other.example.com']), /ERR_TLS_CERT_ALTNAME_INVALID/],
    [testAuthority().issue(['127.0.0.1'], past), /CERT_HAS_EXPIRED/],
  ] as const
  for (const [certificate, says] of bad) {
    const receiver = await receiverWith('https', { certificate })
    const outcome = await deliver(`https://${receiver.host}/`, outsideWith())
    assert.equal(outcome.outcome, 'retry')
    assert.match(reasonOf(outcome), says)
    assert.equal(receiver.requests().length, 0)
  }
})

test('only Splunk may skip the check of the certificate, and only when told to', async () => {
  const receiver = await receiverWith('splunk', { certificate: selfSigned(['127.0.0.1']) })
  const conf = (skip: string) =>
    `splunk://${receiver.host}/services/collector/raw?channel=c&insecure-skip-verify=${skip}&header_Authorization=Splunk%20token`
  assert.match(reasonOf(await deliver(conf('false'), outsideWith())), /SELF_SIGNED/)
  assert.equal((await deliver(conf('true'), outsideWith())).outcome, 'delivered')
  const https = `https://${receiver.host}/services/collector/raw?channel=c&insecure-skip-verify=true`
  assert.match(reasonOf(await deliver(https, outsideWith())), /SELF_SIGNED/)
})

test('skipping the certificate does not skip the address', async () => {
  const conf = 'splunk://10.0.0.5:8088?channel=c&insecure-skip-verify=true&header_Authorization=Splunk%20token'
  assert.match(reasonOf(await deliver(conf, outsideWith())), /private network/)
})

test('nothing listens: the reason says so', async () => {
  const receiver = await startReceiver('https')
  await receiver.stop()
  assert.match(reasonOf(await deliver(`https://${receiver.host}/`, outsideWith())), /connection refused/)
})

test('plain http is for endpoints of the operator alone', async () => {
  const endpoint = new URL('http://127.0.0.1:9')
  const outside = outsideWith({ endpoints: { s3: endpoint } })
  const request = { method: 'PUT', url: endpoint, headers: {}, body: null }
  await assert.rejects(outside.send(request), isTrouble('blocked'))
  await assert.rejects(outside.send({ ...request, toOperatorEndpoint: true }), isTrouble('connect'))
  const other = new URL('http://127.0.0.1:10')
  await assert.rejects(outside.send({ ...request, url: other, toOperatorEndpoint: true }), isTrouble('blocked'))
})

test('one host gets only so many connections at a time', async () => {
  const receiver = await receiverWith('https')
  const outside = outsideWith({ connectionsPerHost: 2 })
  receiver.misbehave('hang', 'hang')
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => deliver(`https://${receiver.host}/`, outside)))
  const count = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).length
  assert.deepEqual([count('retry'), count('delivered')], [2, 4])
})

test('a hurried outside gives up sooner, and a called-off one at once', async () => {
  const receiver = await receiverWith('https')
  const outside = outsideWith({ timeouts: { idleMs: 60_000, wholeMs: 60_000 } })
  const request = { method: 'POST', url: new URL(`https://${receiver.host}/`), headers: {}, body: parcel.body }
  receiver.misbehave('hang', 'hang')
  await assert.rejects(outside.within(150).send(request), /no answer from .* in 0\.15 s/)
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  await assert.rejects(outside.within(60_000, stop.signal).send(request), /called off/)
  await assert.rejects(outside.within(60_000, stop.signal).send(request), /called off/)
})

test('an identity that cannot be had is a passing trouble that names no secret', async () => {
  const outside = outsideWith({ awsCredentials: async () => Promise.reject(new Error('profile /root/.aws is odd')) })
  const outcome = await deliver('s3://logs/a?region=us-east-1', outside)
  assert.deepEqual(outcome, { outcome: 'retry', reason: 'the service has no identity of its own for S3' })
})

test('an identity that never comes is given up on', async () => {
  const outside = outsideWith({ googleToken: () => new Promise(() => {}), timeouts: { connectMs: 50 } })
  assert.match(reasonOf(await deliver('gs://logs/a', outside)), /no identity of its own for Google Cloud Storage/)
})

test('the vendor chain reads the operator credentials from the environment', async () => {
  const before = { ...process.env }
  process.env.AWS_ACCESS_KEY_ID = 'AKIAENVIRONMENT'
  process.env.AWS_SECRET_ACCESS_KEY = 'from-the-environment'
  try {
    const { accessKeyId, secretAccessKey } = await outsideWith().awsCredentials()
    assert.deepEqual([accessKeyId, secretAccessKey], ['AKIAENVIRONMENT', 'from-the-environment'])
  } finally {
    process.env = before
  }
})

test('files are written whole below the root, and over an older one', async () => {
  const root = await mkdtemp(join(tmpdir(), 'spillway-files-'))
  after(() => rm(root, { recursive: true }))
  const spooled = join(root, 'spooled')
  await writeFile(spooled, 'second')
  const outside = outsideWith({ fileRoot: join(root, 'exports') })
  await outside.writeFile('team/20260102/part.log', Buffer.from('first'))
  await outside.writeFile('team/20260102/part.log', { file: spooled, size: 6, sha256: '' })
  assert.equal(await readFile(join(root, 'exports/team/20260102/part.log'), 'utf8'), 'second')
  assert.deepEqual(await readdir(join(root, 'exports/team/20260102')), ['part.log'])
})

test('no path leads out of the root', async () => {
  const root = await mkdtemp(join(tmpdir(), 'spillway-files-'))
  after(() => rm(root, { recursive: true }))
  const [exports, elsewhere] = [join(root, 'exports'), join(root, 'elsewhere')]
  await mkdir(exports)
  await mkdir(elsewhere)
  await symlink(elsewhere, join(exports, 'link'))
  await writeFile(join(exports, 'plain'), '')
  const outside = outsideWith({ fileRoot: exports })
  for (const path of [
    '../x',
    'a/../../x',
    '/etc/x',
    '',
    'a//b',
    './x',
    'link/x',
    'link/deep/x',
    'plain/x',
    'a\0b',
    'a\\b',
  ]) {
    await assert.rejects(outside.writeFile(path, Buffer.from('x')), isTrouble('blocked'), path)
  }
  assert.deepEqual(await readdir(elsewhere), [])
})

test('a file that cannot be written is a passing trouble, and leaves nothing behind', async () => {
  const root = await mkdtemp(join(tmpdir(), 'spillway-files-'))
  after(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'taken'))
  await assert.rejects(outsideWith({ fileRoot: root }).writeFile('taken', Buffer.from('x')), isTrouble('file'))
  assert.deepEqual(await readdir(root), ['taken'])
})

test('without a root the kind file is off', async () => {
  const outcome = await deliver('file:///team/logs', outsideWith())
  assert.deepEqual(outcome, { outcome: 'refused', reason: 'the kind file is switched off on this service' })
})
