import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileValue, formatIp, fullScheme, judge, listOf, parseIp, readValues, showValue } from './index.ts'

test('addresses are read in strict notation and written in the short one', () => {
  const spellings: Record<string, string | undefined> = {
    '192.0.2.1': '192.0.2.1',
    '2001:0db8:0:0:0:0:0:1': '2001:db8::1',
    '::': '::',
    '1::': '1::',
    '::ffff:192.0.2.1': '::ffff:192.0.2.1',
    '1:2:3:4:5:6:7:8': '1:2:3:4:5:6:7:8',
    '1:0:0:2:0:0:0:3': '1:0:0:2::3',
    '192.0.2': undefined,
    '192.0.2.01': undefined,
    '192.0.2.256': undefined,
    '1:2:3:4:5:6:7': undefined,
    '1::2::3': undefined,
    '1:2:3:4:5:6:7::8:9': undefined,
    '::192.0.2.1:1': undefined,
    'fe80::1%eth0': undefined,
    '': undefined,
  }
  for (const [text, expected] of Object.entries(spellings)) {
    const ip = parseIp(text)
    assert.equal(ip && formatIp(ip), expected, text)
  }
})

test('the text of an address is read as the same address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const ip = parseIp(text)
      assert.ok(ip)
      assert.deepEqual(parseIp(formatIp(ip)), ip)
    }),
  )
})

test('values that do not fit their fields are named', () => {
  const values = readValues({
    ssl: 1,
    'http.host': 'a',
    'ip.src': 'x',
    'http.request.headers': { a: 'b' },
    nothing: 1,
    'cf.threat_score': 0.5,
  })
  assert.ok(!values.ok)
  assert.deepEqual(
    values.reasons.map(({ message }) => message),
    [
      'ssl takes a value of type Bool',
      'ip.src takes a value of type Ip',
      'http.request.headers takes a value of type Map<Array<Bytes>>',
      'there is no field nothing',
      'cf.threat_score takes a value of type Int',
    ],
  )
})

test('lists of addresses hold networks and ranges', () => {
  const list = listOf('Ip', ['192.0.2.0/24', '2001:db8::1..2001:db8::9', '203.0.113.1'])
  assert.ok(list)
  for (const inside of ['192.0.2.77', '2001:db8::5', '203.0.113.1']) assert.ok(list.has(parseIp(inside)!), inside)
  for (const outside of ['192.0.3.0', '2001:db8::a', '::ffff:192.0.2.77'])
    assert.equal(list.has(parseIp(outside)!), false)
  assert.equal(listOf('Ip', ['192.0.2.1/24']), undefined)
  assert.equal(listOf('Int', ['1']), undefined)
})

test('hostile values take linear time', () => {
  const run = (text: string, body: string): unknown => {
    const judged = judge(text, fullScheme, 'any')
    const values = readValues({ 'http.request.body.raw': body })
    assert.ok(judged.ok && values.ok)
    return showValue(compileValue(judged.value)(values.value))
  }
  const began = performance.now()
  assert.equal(run('url_decode(http.request.body.raw, "r")', `%${'25'.repeat(60_000)}20`), ' ')
  run('url_decode(http.request.body.raw, "ur")', `${'%2%3'.repeat(30_000)}5`)
  assert.equal(run('lookup_json_string(http.request.body.raw, "a")', '['.repeat(120_000)), null)
  assert.equal(run('lookup_json_string(http.request.body.raw, "__proto__", "constructor", "name")', '{}'), null)
  assert.ok(performance.now() - began < 2000)
})
