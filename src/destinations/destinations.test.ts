/** One suite for every kind in the registry: a new kind is tested the moment its line is added. */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { renderDestinationCases } from './cases.ts'
import {
  type Answer,
  type Destination,
  judgeDestination,
  kinds,
  type Outside,
  OutsideError,
  type Parcel,
} from './index.ts'

const now = new Date('2026-01-02T03:04:05Z')
const parcel: Parcel = {
  name: 'edge/20260102/part.log.gz',
  body: Buffer.from('bytes'),
  contentType: 'application/x-ndjson',
  contentEncoding: 'gzip',
  batchId: 'batch-1',
}

const judged = (conf: string): Destination => {
  const answer = judgeDestination(conf)
  assert.ok(answer.ok, `${conf}: ${JSON.stringify(answer)}`)
  return answer.value
}

const outsideThat = (send: Outside['send'], writeFile: Outside['writeFile'] = async () => {}): Outside => ({
  send,
  writeFile,
  now: () => now,
  read: async function* () {},
  awsCredentials: async () => ({ accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'operator-secret' }),
  googleToken: async () => 'operator-token',
  endpoint: () => undefined,
  fileSize: async () => undefined,
})
const answering = (answer: Partial<Answer>): Outside =>
  outsideThat(async () => ({ status: 200, headers: {}, body: '', ...answer }))

for (const kind of kinds) {
  const overHttp = kind.kind !== 'file'

  for (const conf of kind.examples) {
    test(`${kind.kind} claims its own example before any other kind: ${conf.slice(0, 40)}`, () => {
      assert.equal(judged(conf).kind, kind.kind)
    })

    test(`${kind.kind} shows no secret in identity or mask: ${conf.slice(0, 40)}`, () => {
      const { secrets, identity, masked } = judged(conf)
      for (const secret of secrets) {
        for (const spelling of [secret, encodeURIComponent(secret)]) {
          assert.ok(!identity.includes(spelling), identity)
          assert.ok(!masked.includes(spelling), masked)
        }
      }
    })

    test(`${kind.kind} keeps a secret that comes back out of the reason: ${conf.slice(0, 40)}`, async () => {
      const destination = judged(conf)
      const body = `bad credential ${destination.secrets.flatMap((s) => [s, encodeURIComponent(s)]).join(' | ')}\r\nend`
      const failing = outsideThat(
        async () => ({ status: 403, headers: {}, body }),
        async () => {
          throw new OutsideError('file', body)
        },
      )
      const outcome = await destination.deliver(parcel, failing)
      assert.ok(outcome.outcome !== 'delivered')
      for (const secret of destination.secrets) assert.ok(!outcome.reason.includes(secret), outcome.reason)
      assert.ok(!/[\r\n]/.test(outcome.reason))
    })
  }

  const [example = ''] = kind.examples

  test(`${kind.kind} tries again later when the world does not answer`, async () => {
    for (const trouble of ['dns', 'connect', 'timeout', 'tls', 'reset', 'identity', 'file'] as const) {
      const fail = async () => {
        throw new OutsideError(trouble, `no answer: ${trouble}`)
      }
      const outcome = await judged(example).deliver(parcel, outsideThat(fail, fail))
      assert.deepEqual(outcome, { outcome: 'retry', reason: `no answer: ${trouble}` })
    }
  })

  test(`${kind.kind} takes our own policy as a refusal`, async () => {
    for (const trouble of ['blocked', 'off'] as const) {
      const fail = async () => {
        throw new OutsideError(trouble, 'not from here')
      }
      const outcome = await judged(example).deliver(parcel, outsideThat(fail, fail))
      assert.deepEqual(outcome, { outcome: 'refused', reason: 'not from here' })
    }
  })

  test(`${kind.kind} lets our own mistakes rise`, async () => {
    const fail = async () => {
      throw new TypeError('a bug')
    }
    await assert.rejects(judged(example).deliver(parcel, outsideThat(fail, fail)), TypeError)
  })

  if (!overHttp) continue

  test(`${kind.kind} reads statuses: 2xx delivered, 408, 425, 429 and 5xx later, the rest refused`, async () => {
    const outcomeOf = async (status: number) => (await judged(example).deliver(parcel, answering({ status }))).outcome
    for (const status of [200, 201, 202, 204]) assert.equal(await outcomeOf(status), 'delivered')
    for (const status of [408, 425, 429, 500, 502, 503, 504]) assert.equal(await outcomeOf(status), 'retry')
    for (const status of [301, 302, 307, 400, 401, 403, 404, 413, 422]) assert.equal(await outcomeOf(status), 'refused')
  })

  test(`${kind.kind} honours Retry-After in seconds and as a date, up to an hour`, async () => {
    const wait = async (after: string) => {
      const outcome = await judged(example).deliver(
        parcel,
        answering({ status: 503, headers: { 'retry-after': after } }),
      )
      return outcome.outcome === 'retry' ? outcome.afterMs : assert.fail()
    }
    assert.equal(await wait('30'), 30_000)
    assert.equal(await wait('Fri, 02 Jan 2026 03:05:05 GMT'), 60_000)
    assert.equal(await wait('Thu, 01 Jan 2026 03:05:05 GMT'), 0)
    assert.equal(await wait('99999999'), 3_600_000)
    assert.equal(await wait('Wed, 21 Oct 2099 07:28:00 GMT'), 3_600_000)
    assert.equal(await wait('soon'), undefined)
  })
}

test('every file of a kind is in the registry', async () => {
  const files = await readdir(import.meta.dirname)
  const parts = [
    'cases',
    'conf',
    'destination',
    'exchange',
    'http-target',
    'index',
    'network',
    'object-path',
    's3-object',
  ]
  const named = files.filter((name) => /^[a-z0-9-]+\.ts$/.test(name)).map((name) => name.slice(0, -3))
  assert.deepEqual(named.filter((name) => !parts.includes(name)).sort(), kinds.map(({ kind }) => kind).sort())
})

test('the requests are exactly those in the golden files (npm run golden rewrites them)', async () => {
  for (const { path, text } of await renderDestinationCases()) {
    const golden = `${import.meta.dirname}/../../${path}`
    if (process.env.UPDATE_GOLDEN) await writeFile(golden, text)
    assert.equal(await readFile(golden, 'utf8'), text, path)
  }
})

// Two spellings of one place, and the parts that make another place of it.
const segment = fc.constantFrom('logs', 'Logs', 'edge', '{DATE}', 'a b', "o'clock", 'x+y')
const place = fc.record({
  bucket: fc.constantFrom('alpha-logs', 'beta.logs', 'gamma'),
  path: fc.array(segment, { maxLength: 3 }),
})
const spelling = fc.record({
  region: fc.constantFrom('us-east-1', 'eu-west-3'),
  sse: fc.constantFrom('', '&sse=AES256'),
  slashes: fc.integer({ min: 1, max: 3 }),
  end: fc.constantFrom('', '/', '//'),
  encode: fc.boolean(),
  upper: fc.boolean(),
})
type Place = { bucket: string; path: string[] }
type Spelling = { region: string; sse: string; slashes: number; end: string; encode: boolean; upper: boolean }
const write = (scheme: string, { bucket, path }: Place, as: Spelling): string => {
  const name = as.upper ? bucket.toUpperCase() : bucket
  const segments = path.map((part) => (as.encode ? encodeURIComponent(part) : part.replaceAll(' ', '%20')))
  const address = [name, ...segments].join('/'.repeat(as.slashes)) + as.end
  return scheme === 's3' ? `s3://${address}?region=${as.region}${as.sse}` : `gs://${address}`
}

for (const scheme of ['s3', 'gs']) {
  test(`two ${scheme}:// destinations are the same exactly when bucket and path template are`, () => {
    fc.assert(
      fc.property(place, place, spelling, spelling, (left, right, leftAs, rightAs) => {
        const same = left.bucket === right.bucket && left.path.join('/') === right.path.join('/')
        const [a, b] = [judged(write(scheme, left, leftAs)), judged(write(scheme, right, rightAs))]
        assert.equal(a.identity === b.identity, same)
      }),
    )
  })
}

test('the same bucket through another door is the same destination', () => {
  const keys = 'access-key-id=AKIAEXAMPLE&secret-access-key=secretsecret'
  const account = '0123456789abcdef0123456789abcdef'
  const same = [
    ['s3://logs/a?region=us-east-1', `s3://logs/a?region=us-east-1&endpoint=s3.us-east-1.amazonaws.com&${keys}`],
    ['gs://logs/a', `s3://logs/a?region=auto&endpoint=storage.googleapis.com&${keys}`],
    [
      `r2://logs/a?account-id=${account}&${keys}`,
      `s3://logs/a?region=auto&endpoint=${account}.r2.cloudflarestorage.com&${keys}`,
    ],
  ]
  for (const [one = '', other = ''] of same) assert.equal(judged(one).identity, judged(other).identity)
  const elsewhere = judged(`s3://logs/a?region=auto&endpoint=store.example.com&${keys}`)
  assert.notEqual(elsewhere.identity, judged('s3://logs/a?region=us-east-1').identity)
  assert.notEqual(elsewhere.identity, judged('s3://store.example.com/logs/a?region=us-east-1').identity)
})

test('no spelling of a secret parameter gets past the mask or into a reason', async () => {
  const confs = [
    'https://receiver.example.com/in?token=hush+hush&header_X-Key=hush+hush',
    'https://log-api.newrelic.com/log/v1?Api-Key=hush+hush&format=cloudflare',
    'datadog://intake.example.com/api/v2/logs?header_DD-API-KEY=hush+hush&also=hush%2Bhush',
    'splunk://collector.example.com:8088/services/collector/raw?channel=c&also=hush+hush&header_Authorization=Splunk%20hush+hush',
  ]
  for (const conf of confs) {
    const destination = judged(conf)
    assert.doesNotMatch(destination.masked + destination.identity, /hush/, conf)
    const outcome = await destination.deliver(parcel, answering({ status: 403, body: 'no: hush+hush, hush%2Bhush' }))
    assert.doesNotMatch(JSON.stringify(outcome), /hush/, conf)
  }
})

test('any string is judged without being thrown at, and a refusal gives a reason', () => {
  const tail = fc.oneof(
    fc.string(),
    fc.webUrl().map((url) => url.slice(8)),
    fc.stringMatching(/^[a-z0-9/?&=%{}@:.-]*$/),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds.map(({ examples }) => examples[0] ?? '')),
      tail,
      fc.nat(200),
      (example, junk, cut) => {
        const judgement = judgeDestination(example.slice(0, cut) + junk)
        if (judgement.ok) assert.ok(judgement.value.identity.length > 0)
        else assert.ok(judgement.reasons.length > 0 && judgement.reasons.every(({ message }) => message.length > 0))
      },
    ),
    { numRuns: 2000 },
  )
})
