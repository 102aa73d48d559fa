/** What stands on the wire: requests that two readers would cut differently, requests that are too much, and slow ones. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { access } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'
import { sendRaw } from './raw.ts'

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

const credentials = () => `x-auth-email: ${house.credential.email}\r\nx-auth-key: ${house.credential.key}\r\n`

/** All that comes back until the service closes. */
function exchange(bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(house.baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes))
    let got = ''
    socket.setEncoding('latin1').on('data', (text) => {
      got += text
    })
    socket.on('close', () => resolve(got))
    socket.on('error', (error) => (got === '' ? reject(error) : resolve(got)))
  })
}

const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

describe('a request that two readers could cut differently', () => {
  const smuggled = () => `GET /v4/user HTTP/1.1\r\nhost: localhost\r\n${credentials()}\r\n`
  const head = (framing: string, more = '') =>
    `POST /v4/accounts HTTP/1.1\r\nhost: localhost\r\n${credentials()}content-type: application/json\r\n${framing}\r\n${more}`

  /** Each is followed by a second request that must never be answered as one of its own. */
  const ambiguous: readonly [what: string, bytes: () => string][] = [
    ['an encoding that is nearly chunked', () => head('transfer-encoding: xchunked\r\n', '0\r\n\r\n')],
    ['chunked that is not the last encoding', () => head('transfer-encoding: chunked, identity\r\n', '0\r\n\r\n')],
    ['an encoding of identity with a length', () => head('transfer-encoding: identity\r\ncontent-length: 2\r\n', '{}')],
    ['chunked with a vertical tab', () => head('transfer-encoding: \x0bchunked\r\n', '0\r\n\r\n')],
    ['chunked in quotes', () => head('transfer-encoding: "chunked"\r\n', '0\r\n\r\n')],
    ['a space before the colon', () => head('transfer-encoding : chunked\r\n', '0\r\n\r\n')],
    ['a length and a space before its colon', () => head('content-length : 2\r\n', '{}')],
    ['a folded header line', () => head('transfer-encoding:\r\n chunked\r\n', '0\r\n\r\n')],
    ['a folded first header', () => `GET /v4/user HTTP/1.1\r\n host: localhost\r\n${credentials()}\r\n`],
    ['a length with a sign', () => head('content-length: +2\r\n', '{}')],
    ['a length in hexadecimal', () => head('content-length: 0x2\r\n', '{}')],
    ['a list of lengths', () => head('content-length: 2, 2\r\n', '{}')],
    ['two equal lengths', () => head('content-length: 2\r\ncontent-length: 2\r\n', '{}')],
    ['a length past 64 bits', () => head('content-length: 18446744073709551618\r\n', '{}')],
    ['a length of nothing', () => head('content-length: \r\n', '{}')],
    ['a length and chunks', () => head('content-length: 4\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n')],
    ['chunks and then a length', () => head('transfer-encoding: chunked\r\ncontent-length: 4\r\n', '0\r\n\r\n')],
    ['lines that end in a bare line feed', () => head('content-length: 2\n', '{}').replaceAll('\r\n', '\n')],
    ['a bare carriage return in a value', () => head('x-one: a\rb\r\ncontent-length: 2\r\n', '{}')],
    ['a bare carriage return before a header', () => head('x-one: a\r\rcontent-length: 2\r\n', '{}')],
    ['NUL in a header name', () => head('x-o\0ne: a\r\ncontent-length: 2\r\n', '{}')],
    ['a chunk whose lines end in a bare line feed', () => head('transfer-encoding: chunked\r\n', '2\n{}\n0\n\n')],
    ['a chunk size with a sign', () => head('transfer-encoding: chunked\r\n', '+2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size in 0x', () => head('transfer-encoding: chunked\r\n', '0x2\r\n{}\r\n0\r\n\r\n')],
    ['a chunk size past 64 bits', () => head('transfer-encoding: chunked\r\n', '1ffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
    ['a chunk that is longer than it says', () => head('transfer-encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n')],
    [
      'a chunk extension with a bare line feed',
      () => head('transfer-encoding: chunked\r\n', '2;a\n=b\r\n{}\r\n0\r\n\r\n'),
    ],
    ['a request line with a tab', () => `GET\t/v4/user HTTP/1.1\r\nhost: localhost\r\n${credentials()}\r\n`],
    ['a request line of HTTP/0.9', () => 'GET /v4/user\r\n'],
    ['NUL in the request line', () => `GET /v4/us\0er HTTP/1.1\r\nhost: localhost\r\n${credentials()}\r\n`],
  ]
  for (const [what, bytes] of ambiguous) {
    test(`${what} is refused, and nothing behind it is read as a request`, async () => {
      const answers = await exchange(bytes() + smuggled())
      assert.deepEqual(statuses(answers), [400], answers.slice(0, 300))
      assert.match(answers, /"code":6004/)
      assert.match(answers, /^connection: close/im)
    })
  }

  test('a chunk extension is skipped, and requests that are cut clearly are answered one by one', async () => {
    const named = JSON.stringify({ name: 'one after the other' })
    const size = named.length.toString(16)
    const chunked = head('transfer-encoding: chunked\r\n', `${size};ext="a;b"\r\n${named}\r\n0\r\n\r\n`)
    const plain = head(`content-length: ${named.length}\r\n`, named)
    const get = `GET /v4/user HTTP/1.1\r\nhost: localhost\r\n${credentials()}content-length: ${named.length}\r\n\r\n${named}`
    const last = smuggled().replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')
    assert.deepEqual(statuses(await exchange(chunked + plain + get + last)), [200, 200, 200, 200])
  })

  test('chunk extensions without end are cut off', async () => {
    const endless = head('transfer-encoding: chunked\r\n', `1;${'a'.repeat(100_000)}\r\n{\r\n0\r\n\r\n`)
    assert.match(await exchange(endless + smuggled()), /^HTTP\/1\.1 4\d\d [\s\S]*"code":6004/)
  })
})

describe('an address', () => {
  const get = (target: string, more = '') =>
    exchange(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n${credentials()}connection: close\r\n${more}\r\n`)

  test('that is whole leads where its path leads, whatever host it names', async () => {
    for (const target of ['http://localhost/v4/user', 'HTTPS://other.invalid/v4/user', 'http://a:b@c/v4/user?x=1'])
      assert.match(await get(target), /^HTTP\/1\.1 200 [\s\S]*"super_administrator":true/)
    assert.match(await get(`http://x/v4/zones/${house.zone}/logpush/jobs`), /^HTTP\/1\.1 200 /)
  })

  for (const target of [
    '*',
    'v4/user',
    'localhost:80',
    '//v4/user',
    'ftp://localhost/v4/user',
    '/v4/user/../user',
    '/v4//user',
    '/v4/./user',
    '/v4/user%2fkey',
    '/v4/zones/%2e%2e/user',
    '/v4%5cuser',
    '/V4/user',
    '/v4/user;x=1',
    '/v4/user%20',
    '/v4/%75ser%00',
    '/assets/%2e%2e%2findex.html',
    '/assets/..%5c..%5cpackage.json',
  ]) {
    test(`such as ${target} leads nowhere`, async () => {
      assert.match(await get(target), /^HTTP\/1\.1 (404|400) [\s\S]*"success":false/)
    })
  }

  test('of a session is a secret in the log too when it is whole', async () => {
    await get('http://localhost/instant-logs/ws/sessions/very-secret-session')
    assert.ok(!house.logLines.join('').includes('very-secret-session'))
  })
})

describe('a Host header', () => {
  for (const host of ['evil.invalid/..', 'a@b', 'a b', '"><script>', 'a,b', 'http://x', '\xff', 'a?b', 'a#b', '{x}']) {
    test(`of ${JSON.stringify(host)} is refused`, async () => {
      const answer = await exchange(
        `GET /v4/user HTTP/1.1\r\nhost: ${host}\r\n${credentials()}connection: close\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*Host header/)
    })
  }
  test('of a stranger only ever comes back to who sent it, and no redirect is made of it', async () => {
    const answer = await exchange(
      `POST /v4/zones/${house.zone}/logexport/edge HTTP/1.1\r\nhost: evil.invalid:99\r\n${credentials()}connection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    )
    assert.match(answer, /"destination_conf":"ws:\/\/evil\.invalid:99\/instant-logs/)
    const mine = await (
      await fetch(`${house.baseUrl}/zones/${house.zone}/logexport/edge`, {
        headers: { 'x-auth-email': house.credential.email, 'x-auth-key': house.credential.key },
      })
    ).text()
    assert.ok(!mine.includes('evil.invalid'))
    for (const path of ['/', '/console', '/v4', '/console/../..']) {
      const page = await exchange(`GET ${path} HTTP/1.1\r\nhost: evil.invalid\r\nconnection: close\r\n\r\n`)
      assert.ok(!page.includes('evil.invalid') && !/^location:/im.test(page), path)
    }
  })
})

describe('too much', () => {
  const refusals: readonly [what: string, status: number, bytes: () => string | Buffer][] = [
    [
      'an address of 20 KB',
      431,
      () => `GET /v4/zones?name=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n${credentials()}\r\n`,
    ],
    [
      'ten thousand pairs in a query',
      431,
      () => `GET /v4/zones?${'a=&'.repeat(10_000)} HTTP/1.1\r\nhost: x\r\n${credentials()}\r\n`,
    ],
    [
      'twenty thousand headers',
      431,
      () => `GET /v4/zones HTTP/1.1\r\nhost: x\r\n${credentials()}${'a:\r\n'.repeat(20_000)}\r\n`,
    ],
    [
      'a second Host behind 2,500 headers',
      400,
      () => `GET /v4/zones HTTP/1.1\r\nhost: x\r\n${credentials()}${'a:b\r\n'.repeat(2_500)}host: y\r\n\r\n`,
    ],
    ['an array of a million members', 400, () => posted(`{"name":[${'1,'.repeat(1e6)}1]}`)],
    [
      'a hundred thousand unknown members',
      400,
      () => posted(`{${Array.from({ length: 1e5 }, (_, at) => `"k${at}":1`).join()}}`),
    ],
    ['a number of a million digits', 400, () => posted(`{"name":${'9'.repeat(1e6)}}`)],
    ['two million backslashes', 400, () => posted(`{"name":"${'\\\\'.repeat(1e6)}"}`)],
    [
      'a thousand zones in a token',
      400,
      () =>
        posted(
          `{"name":"a","permissions":["logs:read"],"zones":[${Array(1001).fill(`"${'a'.repeat(32)}"`)}]}`,
          `/accounts/${house.account}/tokens`,
        ),
    ],
    [
      'chunks past the largest body',
      413,
      () =>
        `${post('/accounts')}transfer-encoding: chunked\r\n\r\n${`ffff\r\n${'a'.repeat(0xffff)}\r\n`.repeat(70)}0\r\n\r\n`,
    ],
  ]
  const post = (path: string) =>
    `POST /v4${path} HTTP/1.1\r\nhost: x\r\n${credentials()}connection: close\r\ncontent-type: application/json\r\n`
  const posted = (body: string, path = '/accounts') =>
    `${post(path)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

  for (const [what, status, bytes] of refusals) {
    test(`${what} is refused with ${status} in a short envelope`, async () => {
      const answer = await sendRaw(house.baseUrl, bytes())
      assert.equal(answer.status, status, answer.body.slice(0, 300))
      const { success, errors } = JSON.parse(answer.body)
      assert.ok(success === false && errors.length > 0)
      assert.ok(answer.body.length < 20_000, `the answer has ${answer.body.length} bytes`)
    })
  }

  test('2,500 small headers are read to the last', async () => {
    const many = `GET /v4/user HTTP/1.1\r\nhost: x\r\n${'a:b\r\n'.repeat(2_500)}${credentials()}\r\n`
    assert.equal((await sendRaw(house.baseUrl, many)).status, 200)
  })
})

describe('who sends slowly', () => {
  let patient: House
  before(async () => {
    patient = await startHouse({ environment: { SPILLWAY_REQUEST_SECONDS: '1' } })
  })
  after(() => patient.stop())

  /** Sends a byte now and then for as long as it is let, and hears what it is told in the end. */
  async function trickle(first: string): Promise<string> {
    const { hostname, port } = new URL(patient.baseUrl)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.write(first)
    let heard = ''
    let isOver = false
    socket.setEncoding('latin1').on('data', (text) => {
      heard += text
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      isOver = true
    })
    while (!isOver) {
      if (socket.writable) socket.write('a')
      await wait(50)
    }
    return heard
  }
  const headers = () =>
    `host: x\r\nx-auth-email: ${patient.credential.email}\r\nx-auth-key: ${patient.credential.key}\r\n`
  const body = 'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n'
  const slow: readonly [what: string, first: () => string][] = [
    ['headers', () => 'GET /v4/user HTTP/1.1\r\nhost: x\r\nx-one: '],
    ['a body of JSON', () => `POST /v4/accounts HTTP/1.1\r\n${headers()}${body}{"name":"`],
    ['records', () => `POST /v4/zones/${patient.zone}/logs/ingest/http_requests HTTP/1.1\r\n${headers()}${body}`],
    ['a visitor’s body to an edge', () => `POST /v4/zones/${patient.zone}/edge/decide HTTP/1.1\r\n${headers()}${body}`],
  ]

  test('is cut off after the time that is set, and others are served meanwhile', async () => {
    const answers = Promise.all(slow.map(async ([what, first]) => [what, await trickle(first())] as const))
    const user = await patient.client.call(access.viewUser, {})
    assert.equal(user.email, patient.credential.email)
    for (const [what, heard] of await answers)
      assert.match(heard, /^HTTP\/1\.1 408 [\s\S]*"code":6004,"message":"Malformed request: it took too long"/, what)
    const metrics = await (await fetch(`${patient.service.url}/metrics`)).text()
    assert.match(metrics, /^spillway_http_requests_in_flight 1$/m, 'only the reading of the metrics itself')
  })

  test('a connection on which nothing comes is cut off too', async () => {
    const { hostname, port } = new URL(patient.baseUrl)
    const socket = connect({ host: hostname, port: Number(port) }).resume()
    await once(socket, 'close')
  })

  test('a connection that sent rubbish is closed by the service even if the sender never closes it', async () => {
    const { hostname, port } = new URL(patient.baseUrl)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () =>
      socket.write('rubbish\r\n\r\n'),
    )
    await new Promise<void>((resolve) => {
      socket.on('error', () => resolve())
      socket.on('end', () => socket.on('close', () => resolve()))
      // Writing to a connection that is gone tells us so.
      const more = setInterval(() => socket.write('x'), 100)
      socket.on('close', () => clearInterval(more))
      socket.resume()
    })
  })
})
