import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type House, startHouse } from './house.ts'
import { type RawAnswer, sendRaw } from './raw.ts'

type Malformed = {
  readonly what: string
  readonly status: number
  readonly code: number
  /** The request line and what follows; `{credentials}`, `{host}` and the account are filled in. */
  readonly send: string | Buffer
}

const post = (path: string, body: string | Buffer, more = 'content-type: application/json\r\n'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\n{host}{credentials}${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      'latin1',
    ),
    Buffer.from(body),
  ])
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n{host}{credentials}${more}\r\n`
const id = '0123456789abcdef0123456789abcdef'
/** Stands for the house's own account, in as many letters. */
const anAccount = 'a'.repeat(32)
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

const malformed: readonly Malformed[] = [
  // Not HTTP.
  { what: 'no HTTP at all', status: 400, code: 6004, send: 'hello there\r\n\r\n' },
  {
    what: 'an unknown protocol version',
    status: 400,
    code: 6004,
    send: 'GET /v4/zones HTTP/9.9\r\n{host}{credentials}\r\n',
  },
  { what: 'an unknown method', status: 400, code: 6004, send: 'BREW /v4/zones HTTP/1.1\r\n{host}{credentials}\r\n' },
  { what: 'a header without a colon', status: 400, code: 6004, send: get('/v4/zones', 'nonsense\r\n') },
  { what: 'a header value with NUL', status: 400, code: 6004, send: get('/v4/zones', 'x-one: a\0b\r\n') },
  { what: 'headers of 100 KB', status: 431, code: 6004, send: get('/v4/zones', `x-one: ${'a'.repeat(100_000)}\r\n`) },
  {
    what: 'a chunk size that is no number',
    status: 400,
    code: 6004,
    send: `POST /v4/zones HTTP/1.1\r\n{host}{credentials}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  },
  {
    what: 'a length and chunks at once',
    status: 400,
    code: 6004,
    send: `POST /v4/zones HTTP/1.1\r\n{host}{credentials}content-type: application/json\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  },
  {
    what: 'a negative length',
    status: 400,
    code: 6004,
    send: `POST /v4/zones HTTP/1.1\r\n{host}{credentials}content-length: -5\r\n\r\n`,
  },
  {
    what: 'two different lengths',
    status: 400,
    code: 6004,
    send: `POST /v4/zones HTTP/1.1\r\n{host}{credentials}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `,
  },
  { what: 'no Host header', status: 400, code: 6004, send: 'GET /v4/zones HTTP/1.1\r\n{credentials}\r\n' },
  { what: 'two Host headers', status: 400, code: 6004, send: get('/v4/zones', 'host: other\r\n') },
  { what: 'an expectation nobody knows', status: 417, code: 6004, send: get('/v4/zones', 'expect: miracles\r\n') },
  { what: 'two keys', status: 400, code: 6004, send: get('/v4/zones', `x-auth-key: ${'0'.repeat(37)}\r\n`) },
  {
    what: 'two content types',
    status: 400,
    code: 6004,
    send: post('/v4/zones', '{}', 'content-type: application/json\r\ncontent-type: text/plain\r\n'),
  },

  // Addresses.
  { what: 'an unknown route', status: 404, code: 7003, send: get('/v4/nothing/here') },
  { what: 'a route above the API', status: 404, code: 7003, send: get('/v5/zones') },
  { what: 'an id that is none', status: 404, code: 7003, send: get('/v4/zones/not-an-id') },
  { what: 'an id in capitals', status: 404, code: 7003, send: get(`/v4/zones/${id.toUpperCase()}`) },
  { what: 'an id that is too long', status: 404, code: 7003, send: get(`/v4/zones/${id.repeat(200)}`) },
  { what: 'a path that climbs', status: 404, code: 7003, send: get('/v4/zones/../../etc/passwd') },
  { what: 'an id with a quote', status: 404, code: 7003, send: get(`/v4/zones/'%20or%201=1--`) },
  { what: 'a broken escape in the path', status: 404, code: 7003, send: get('/v4/zones/%zz') },
  { what: 'half a character in the path', status: 404, code: 7003, send: get('/v4/zones/%c3') },
  { what: 'the wrong method', status: 405, code: 7001, send: 'PATCH /v4/zones HTTP/1.1\r\n{host}{credentials}\r\n' },
  {
    what: 'a method for files',
    status: 405,
    code: 7001,
    send: 'PROPFIND /v4/user HTTP/1.1\r\n{host}{credentials}\r\n',
  },

  // Queries.
  { what: 'a page of zero', status: 400, code: 1002, send: get('/v4/zones?page=0') },
  { what: 'a page that is no number', status: 400, code: 1002, send: get('/v4/zones?page=one') },
  { what: 'a page past all numbers', status: 400, code: 1002, send: get('/v4/zones?page=1e309') },
  { what: 'a name given twice', status: 400, code: 1002, send: get('/v4/zones?name=a&name=b') },
  { what: 'NUL in a query', status: 400, code: 6004, send: get('/v4/accounts?name=%00') },
  { what: 'a direction that is none', status: 400, code: 1002, send: get('/v4/user/audit_logs?direction=up') },
  { what: 'a time that is none', status: 400, code: 1002, send: get('/v4/user/audit_logs?since=12') },
  { what: 'an address that is none', status: 400, code: 1002, send: get('/v4/user/audit_logs?actor.ip=10.0.0.0/99') },

  // Bodies.
  { what: 'no JSON', status: 400, code: 6007, send: post('/v4/zones', '{"name":') },
  {
    what: 'a body that is not UTF-8',
    status: 400,
    code: 6007,
    send: post('/v4/accounts', Buffer.from([34, 0xff, 34])),
  },
  {
    what: 'a key that poisons prototypes',
    status: 400,
    code: 6007,
    send: post('/v4/accounts', '{"name":"a","__proto__":{"isSuper":true}}'),
  },
  {
    what: 'a constructor that poisons prototypes',
    status: 400,
    code: 6007,
    send: post('/v4/accounts', '{"name":"a","constructor":{"prototype":{"x":1}}}'),
  },
  { what: 'no body', status: 400, code: 1002, send: post('/v4/accounts', '') },
  { what: 'an array', status: 400, code: 1002, send: post('/v4/accounts', '[]') },
  { what: 'null', status: 400, code: 1002, send: post('/v4/accounts', 'null') },
  { what: 'the wrong type', status: 400, code: 1002, send: post('/v4/accounts', '{"name":{"a":1}}') },
  { what: 'an unknown field', status: 400, code: 1002, send: post('/v4/accounts', '{"name":"a","colour":"red"}') },
  { what: 'a name of blanks', status: 400, code: 1002, send: post('/v4/accounts', '{"name":"   "}') },
  { what: 'a name of 1 MB', status: 400, code: 1002, send: post('/v4/accounts', `{"name":"${'a'.repeat(1e6)}"}`) },
  { what: 'NUL in a name', status: 400, code: 6007, send: post('/v4/accounts', String.raw`{"name":"a\u0000b"}`) },
  { what: 'NUL in a field name', status: 400, code: 6007, send: post('/v4/accounts', String.raw`{"na\u0000me":"b"}`) },
  { what: 'a body nested 100,000 deep', status: 400, code: 1002, send: post('/v4/accounts', nested(100_000)) },
  {
    what: 'a field nested 100,000 deep',
    status: 400,
    code: 1002,
    send: post('/v4/accounts', `{"name":${nested(100_000)}}`),
  },
  {
    what: 'a domain that is none',
    status: 400,
    code: 1002,
    send: post('/v4/zones', `{"name":"not a domain","account":{"id":"${anAccount}"}}`),
  },
  { what: 'a body of 5 MB', status: 413, code: 6005, send: post('/v4/accounts', `{"name":"${'a'.repeat(5e6)}"}`) },
  {
    what: 'a body that says it is 1 TB',
    status: 413,
    code: 6005,
    send: `POST /v4/accounts HTTP/1.1\r\n{host}{credentials}content-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n{`,
  },
  { what: 'a form', status: 415, code: 6006, send: post('/v4/accounts', 'name=a', 'content-type: text/plain\r\n') },
  { what: 'a body of no type', status: 415, code: 6006, send: post('/v4/accounts', '{"name":"a"}', '') },
  {
    what: 'a compressed body',
    status: 415,
    code: 6008,
    send: post('/v4/accounts', '{"name":"a"}', 'content-type: application/json\r\ncontent-encoding: gzip\r\n'),
  },
]

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`malformed requests, on ${database}`, () => {
    let house: House
    before(async () => {
      house = await startHouse({ database })
    })
    after(() => house.stop())

    const fill = (send: string | Buffer): Buffer => {
      const { email, key } = house.credential
      const whole = Buffer.isBuffer(send) ? send : Buffer.from(send, 'latin1')
      // Placeholders stand in the head and at the beginning of the body; a large body is left alone.
      const cut = Math.min(whole.length, 20_000)
      const head = whole
        .subarray(0, cut)
        .toString('latin1')
        .replace('{host}', 'host: localhost\r\n')
        .replace('{credentials}', `x-auth-email: ${email}\r\nx-auth-key: ${key}\r\n`)
        .replace(anAccount, house.account)
      return Buffer.concat([Buffer.from(head, 'latin1'), whole.subarray(cut)])
    }

    for (const { what, status, code, send } of malformed) {
      test(`${what} is refused with ${status} and code ${code}, in the envelope`, async () => {
        const answer = await sendRaw(house.baseUrl, fill(send))
        assertRefusal(answer, status, code)
        assert.equal(serverErrors(house), 0)
      })
    }

    test('after all of them the service answers, and no request counts as under way', async () => {
      const answer = await sendRaw(house.baseUrl, fill(get('/v4/zones')))
      assert.equal(answer.status, 200)
      const metrics = await (await fetch(`${house.service.url}/metrics`)).text()
      assert.match(metrics, /^spillway_http_requests_in_flight 1$/m, 'only the reading of the metrics itself')
    })
  })
}

function assertRefusal(answer: RawAnswer, status: number, code: number): void {
  assert.equal(answer.status, status, answer.body.slice(0, 500))
  assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  const envelope = JSON.parse(answer.body)
  assert.deepEqual(
    { success: envelope.success, messages: envelope.messages, result: envelope.result },
    { success: false, messages: [], result: null },
  )
  assert.equal(envelope.errors[0].code, code, answer.body)
  assert.ok(
    envelope.errors.every((error: { message: string }) => error.message.length > 5 && error.message.length < 1_000),
  )
}

const serverErrors = (house: House): number =>
  house.logLines.filter((line) => line.includes('"unexpected error"')).length
