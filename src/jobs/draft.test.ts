import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { judgeDatasetFiles, judgeOptions } from '../datasets/index.ts'
import { judgeCeilings, judgeSelection, type OptionTexts, withoutRedaction } from './draft.ts'

const registry = judgeDatasetFiles([])
assert.ok(registry.ok)
const dataset = registry.value.find('http_requests') ?? assert.fail()
const texts = (given: Partial<OptionTexts>): OptionTexts => ({
  logfetch_options: null,
  output_options: null,
  filter: '',
  ...given,
})
const reasonsOf = (given: Partial<OptionTexts>) => {
  const judged = judgeSelection(texts(given), dataset)
  return judged.ok ? [] : judged.reasons.map(({ pointer, message }) => `${pointer}: ${message}`)
}

test('output options win over the option string, and the filter holds for both', () => {
  const filter = '{"where":{"key":"ClientCountry","operator":"eq","value":"nz"}}'
  const both = judgeSelection(
    texts({ logfetch_options: 'fields=RayID', output_options: { field_names: ['ClientIP'] }, filter }),
    dataset,
  )
  assert.ok(both.ok)
  assert.deepEqual(both.value.fields, ['ClientIP'])
  assert.ok(both.value.filter !== null)
})

test('every reason is told at once, each with its place in the body', () => {
  const reasons = reasonsOf({
    logfetch_options: 'fields=Nope&sample=2&timestamps=never',
    filter: '{"where":{"key":"Nope","operator":"eq","value":1}}',
  })
  assert.equal(reasons.length, 4, reasons.join('\n'))
  assert.deepEqual(new Set(reasons.map((reason) => reason.split(':')[0])), new Set(['/logfetch_options', '/filter']))
  const output = reasonsOf({ output_options: { field_names: ['RayID', 'Nope'], sample_rate: 7, colour: 'red' } })
  assert.deepEqual(output.map((reason) => reason.split(':')[0]).sort(), [
    '/output_options/colour',
    '/output_options/field_names/1',
    '/output_options/sample_rate',
  ])
})

test('a text that no database can keep as it was sent is refused, even where it means nothing', () => {
  const logfetch_options = 'https://host/\ud800?fields=RayID'
  assert.match(reasonsOf({ logfetch_options }).join(), /^\/logfetch_options: .*cannot be kept/)
  assert.match(reasonsOf({ logfetch_options, output_options: {} }).join(), /^\/logfetch_options: .*cannot be kept/)
  const filter = '{"where":{"key":"ClientRequestHost","operator":"eq","value":"\ud800"}}'
  assert.match(reasonsOf({ filter }).join(), /\/filter: .*cannot be kept/)
})

test('ceilings are none, 0, or within their range', () => {
  const judge = (draft: Parameters<typeof judgeCeilings>[0]) => judgeCeilings(draft).ok
  for (const value of [undefined, null, 0, 5_000_000, 1_000_000_000])
    assert.ok(judge(value === undefined ? {} : { max_upload_bytes: value }), String(value))
  for (const value of [1, 4_999_999, 1_000_000_001]) assert.ok(!judge({ max_upload_bytes: value }), String(value))
  for (const value of [0, 1_000, 1_000_000]) assert.ok(judge({ max_upload_records: value }), String(value))
  for (const value of [1, 999, 1_000_001]) assert.ok(!judge({ max_upload_records: value }), String(value))
  for (const value of [0, 30, 300]) assert.ok(judge({ max_upload_interval_seconds: value }), String(value))
  for (const value of [1, 29, 301]) assert.ok(!judge({ max_upload_interval_seconds: value }), String(value))
  const all = judgeCeilings({ max_upload_bytes: 1, max_upload_records: 1, max_upload_interval_seconds: 1 })
  assert.deepEqual(all.ok ? [] : all.reasons.map(({ pointer }) => pointer), [
    '/max_upload_bytes',
    '/max_upload_records',
    '/max_upload_interval_seconds',
  ])
})

test('the console drops the redaction option and nothing else, however it is written', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['fields=RayID&CVE-2021-44228=true', 'fields=RayID'],
    ['CVE-2021-44228=true&fields=RayID', 'fields=RayID'],
    ['CVE-2021-44228=true', ''],
    ['CVE-2021-44228=false&sample=0.5', 'sample=0.5'],
    ['fields=RayID&%43VE-2021-44228=true', 'fields=RayID'],
    ['?CVE-2021-44228=true&sample=0.5', '?sample=0.5'],
    ['https://host/logs?fields=RayID&CVE-2021-44228=true', 'https://host/logs?fields=RayID'],
    ['https://host/logs?CVE-2021-44228=true#top', 'https://host/logs?#top'],
    ['https://host/CVE-2021-44228=true', 'https://host/CVE-2021-44228=true'],
    ['fields=RayID%2CClientIP&timestamps=rfc3339', 'fields=RayID%2CClientIP&timestamps=rfc3339'],
    ['', ''],
  ]
  for (const [sent, kept] of cases)
    assert.equal(withoutRedaction(texts({ logfetch_options: sent })).logfetch_options, kept, sent)
  assert.equal(withoutRedaction(texts({})).logfetch_options, null)
  const output_options = { 'CVE-2021-44228': true, sample_rate: 0.5 }
  assert.deepEqual(withoutRedaction(texts({ output_options })).output_options, { sample_rate: 0.5 })
  assert.equal(withoutRedaction(texts({})).output_options, null)
})

const option = fc.constantFrom(
  'fields=RayID,ClientIP',
  'sample=0.25',
  'timestamps=unix',
  'CVE-2021-44228=true',
  '%43VE-2021-44228=true',
  'CVE%2D2021%2D44228=true',
  '',
)
const address = fc.constantFrom('', '?', 'https://host/logs?', 'HTTP://host?', 'https://host/a#b?', 'https://host/?')

test('whatever option string the console saves does not redact, and selects what it selected before', () => {
  fc.assert(
    fc.property(address, fc.array(option, { maxLength: 5 }), (head, options) => {
      const text = head + options.join('&')
      const before = judgeOptions(text, dataset)
      if (!before.ok) return
      const saved = withoutRedaction(texts({ logfetch_options: text })).logfetch_options ?? ''
      const after = judgeOptions(saved, dataset)
      assert.deepEqual(after, { ok: true, value: { ...before.value, redact: false } }, saved)
    }),
  )
})
