/** Destinations that hang, break, redirect or show a bad certificate: an answer with a reason, within ten seconds. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { logexport } from '../../src/contract/index.ts'
import { type Receiver, selfSigned, startReceiver, testAuthority } from '../endpoints/index.ts'
import type { Misbehaviour } from '../endpoints/receiver.ts'
import { type JobHouse, startJobHouse } from './job-house.ts'

const day = 86_400_000
const silent = createServer()
const receivers: Receiver[] = []
let house: JobHouse

const start = async (...settings: Parameters<typeof startReceiver>): Promise<Receiver> => {
  const receiver = await startReceiver(...settings)
  receivers.push(receiver)
  return receiver
}

before(async () => {
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  house = await startJobHouse({
    network: {
      allowedNetworks: ['127.0.0.0/8'],
      certificates: [testAuthority().cert],
      awsCredentials: () => new Promise(() => undefined),
      resolve: (name) =>
        name === 'slow.example.com'
          ? new Promise(() => undefined)
          : Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    },
  })
})
after(async () => {
  await house?.stop()
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  silent.close()
})

type Unfriendly = { readonly what: string; readonly says: RegExp; conf(): Promise<string> }

const misbehaving = (what: string, says: RegExp, how: Misbehaviour): Unfriendly => ({
  what,
  says,
  async conf() {
    const receiver = await start('https')
    receiver.misbehave(how, how)
    return `https://${receiver.host}/in?header_X-Key=hush-hush`
  },
})

const table: readonly Unfriendly[] = [
  misbehaving('hangs', /no answer from 127\.0\.0\.1:\d+ in 8 s/, 'hang'),
  misbehaving('resets the connection', /the connection broke/, 'reset'),
  misbehaving('answers 500', /answered 500: out of order/, { status: 500, body: 'out of order' }),
  misbehaving('answers 403 and quotes the key', /answered 403: \*\*\*\* is unknown/, {
    status: 403,
    body: 'hush-hush is unknown',
  }),
  misbehaving('redirects to loopback', /answered 302, a redirect; redirects are not followed/, {
    status: 302,
    headers: { location: 'https://127.0.0.1:8443/elsewhere' },
  }),
  misbehaving('redirects to the metadata service', /answered 307, a redirect/, {
    status: 307,
    headers: { location: 'http://169.254.169.254/latest/meta-data/' },
  }),
  misbehaving('answers 500 without end', /answered 500/, { status: 500, body: 'x'.repeat(10_000_000) }),
  misbehaving('answers slower than anyone waits', /no answer from .* in \d+ s/, 'slow body'),
  {
    what: 'shows a certificate of its own making',
    says: /TLS failed \(.*SELF_SIGNED/,
    conf: async () => `https://${(await start('https', { certificate: selfSigned(['127.0.0.1']) })).host}/in?key=k`,
  },
  {
    what: 'shows an expired certificate',
    says: /TLS failed \(CERT_HAS_EXPIRED\)/,
    async conf() {
      const valid = { from: new Date(Date.now() - 30 * day), to: new Date(Date.now() - day) }
      const certificate = testAuthority().issue(['127.0.0.1'], valid)
      return `https://${(await start('https', { certificate })).host}/in?key=k`
    },
  },
  {
    what: 'shows the certificate of another host',
    says: /TLS failed \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    async conf() {
      const certificate = testAuthority().issue(['other.example.com'])
      return `https://${(await start('https', { certificate })).host}/in?key=k`
    },
  },
  {
    what: 'accepts the connection and says nothing',
    says: /no answer/,
    conf: async () => `https://127.0.0.1:${(silent.address() as { port: number }).port}/in?key=k`,
  },
  {
    what: 'is not there',
    says: /connection refused/,
    async conf() {
      const receiver = await startReceiver('https')
      await receiver.stop()
      return `https://${receiver.host}/in?key=k`
    },
  },
  {
    what: 'has a name that nobody knows',
    says: /nowhere\.example\.com cannot be resolved/,
    conf: async () => 'https://nowhere.example.com/in?key=k',
  },
  {
    what: 'has a name that takes for ever to resolve',
    says: /no answer for the name slow\.example\.com/,
    conf: async () => 'https://slow.example.com/in?key=k',
  },
  {
    what: 'wants an identity that the service cannot get',
    says: /no identity of its own for S3/,
    conf: async () => 's3://tenant-logs/edge?region=us-east-1',
  },
  {
    what: 'lies in a private network',
    says: /private network/,
    conf: async () => 'https://10.0.0.5/in?key=k',
  },
]

// Side by side, because some of them take all the time there is.
test('an unfriendly destination', { concurrency: true }, async (t) => {
  await Promise.all(
    table.map(({ what, says, conf }) =>
      t.test(`that ${what} gets valid: false with a reason within ten seconds`, async () => {
        const scope = house.zoneScope
        const body = { destination_conf: await conf() }
        const began = Date.now()
        const [challenge, check] = await Promise.all([
          house.client.call(logexport.issueChallenge, { scope, body }),
          house.client.call(logexport.checkDestination, { scope, body }),
        ])
        const tookMs = Date.now() - began
        assert.deepEqual([challenge.valid, challenge.filename, check.valid], [false, '', false])
        assert.match(challenge.message, says)
        assert.match(check.message, says)
        assert.match(challenge.message, /^error writing to the destination: /)
        assert.doesNotMatch(challenge.message + check.message, /hush/)
        assert.ok(tookMs < 10_000, `${tookMs} ms`)
      }),
    ),
  )
})
