/**
 * Texts that make careless patterns slow, at about the largest size each place takes: 100 KB and more. That no pattern is
 * slow is counted in test/guards/regexes.test.ts; here the whole way is gone, and where a million signs cost their
 * square, nobody would see the end of it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { credentialHeaders } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

const long = (text: string, size = 100_000): string => text.repeat(Math.ceil(size / text.length))

type Sent = { readonly method: string; readonly path: string; readonly body?: unknown; readonly type?: string }

const ruleset = (expression: string) => ({
  name: 'slow',
  kind: 'zone',
  phase: 'http_request_firewall_custom',
  rules: [{ action: 'block', expression }],
})

const records = (value: unknown): Pick<Sent, 'body' | 'type'> => ({
  body: ['EdgeResponseCompressionRatio', 'ClientRequestBytes', 'EdgeStartTimestamp', 'Unknown']
    .map((field) => JSON.stringify({ RayID: 'slow', [field]: value }))
    .join('\n'),
  type: 'application/x-ndjson',
})

/** Each leads into a repetition, goes round it for long, and fails at its end. */
const places: Readonly<Record<string, (zone: string, account: string) => Sent>> = {
  'a number in a record, as text': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logs/ingest/http_requests`,
    ...records(`${long('9', 1_000_000)}x`),
  }),
  'an object in a record': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logs/ingest/http_requests`,
    body: `{"RayID":"slow","RequestHeaders":${long('{"a":', 1_000)}"${long('\\"', 900_000)}`,
    type: 'application/x-ndjson',
  }),
  'counts in a pattern of a rule': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/rulesets`,
    body: ruleset(`http.host matches "a{1${long(' ')}x}"`),
  }),
  'flags in a pattern of a rule': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/rulesets`,
    body: ruleset(`http.host matches "(?${long('u')}!"`),
  }),
  'stars of a wildcard': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/rulesets`,
    body: ruleset(`http.request.full_uri wildcard "${long('*a')}"`),
  }),
  'addresses of a list': (_, account) => ({
    method: 'POST',
    path: `/accounts/${account}/rules/lists`,
    body: {
      name: 'slow',
      kind: 'redirect',
      items: [{ redirect: { source_url: `http://${long('a')} `, target_url: '' } }],
    },
  }),
  'a destination with slashes': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logexport/ownership`,
    body: { destination_conf: `gs://bucket${long('/')}x` },
  }),
  'a destination with a signature': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logexport/ownership`,
    body: { destination_conf: `https://a.blob.core.windows.net/logs?sp=${long('w')}!` },
  }),
  'options of a job': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logexport/validate/origin`,
    body: { logfetch_options: `fields=${long('A,')}&sample=${long('9')}.x` },
  }),
  'a template of a job': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logexport/jobs`,
    body: { destination_conf: 'file:///slow', output_options: { record_template: long('{{ "\\"') } },
  }),
  'a filter of a job': (zone) => ({
    method: 'POST',
    path: `/zones/${zone}/logexport/jobs`,
    body: { destination_conf: 'file:///slow', filter: long('{"where":') },
  }),
  'the name of a zone': (_, account) => ({
    method: 'POST',
    path: '/zones',
    body: { name: `${long('a.', 252)}!`, account: { id: account } },
  }),
  'the name of an account': () => ({ method: 'POST', path: '/accounts', body: { name: `${long(' ')}` } }),
}

for (const [place, sent] of Object.entries(places))
  test(`${place} may be long and hostile, and is refused or taken like any other`, { timeout: 120_000 }, async () => {
    const { method, path, body, type = 'application/json' } = sent(house.zone, house.account)
    const asked = fetch(`${house.baseUrl}${path}`, {
      method,
      headers: { ...credentialHeaders(house.credential), 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    // Others are answered meanwhile.
    assert.equal((await fetch(`${house.service.url}/healthz`)).status, 200)
    const answer = await asked
    const text = await answer.text()
    assert.ok(
      answer.status === 200 || (answer.status >= 400 && answer.status < 500),
      `${answer.status} ${text.slice(0, 300)}`,
    )
    assert.equal(typeof JSON.parse(text).success, 'boolean')
  })

test('headers and addresses may be long and hostile too', { timeout: 120_000 }, async () => {
  const hostile: readonly Record<string, string>[] = [
    { authorization: `Bearer ${long('a ', 14_000)}` },
    { 'x-auth-email': `${long('a', 14_000)}@`, 'x-auth-key': '0'.repeat(37) },
    { 'accept-encoding': long('gzip;q=1.1.1.', 14_000) },
    { 'content-type': `multipart/form-data;${long(';a=', 14_000)}boundary` },
  ]
  for (const headers of hostile) {
    const answer = await fetch(`${house.baseUrl}/user`, { headers })
    assert.ok(answer.status < 500, String(answer.status))
  }
  const path = `/zones/${house.zone}/logs/received?start=${long('9', 6_000)}x&end=${long('-', 6_000)}`
  const answer = await fetch(`${house.baseUrl}${path}`, { headers: credentialHeaders(house.credential) })
  assert.ok(answer.status < 500)
})
