import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { interpret } from '../../test/expression/interpret.ts'
import { anyExpression, anyRequest } from '../../test/expression/random.ts'
import { compile, fullScheme, judge, listOf, print, type Root, readValues } from './index.ts'

const parse = (text: string) => {
  const judged = judge(text, fullScheme, 'bool', { ...unlimited })
  assert.ok(judged.ok, judged.ok ? '' : `${text}\n${judged.reasons[0].message}`)
  return judged.value
}
const unlimited = { length: 1e6, nesting: 1000, setSize: 1e4, regexes: 1e4, regexBytes: 1e7, wildcardStars: 100 }

test('the text of a tree parses to the same tree', () => {
  fc.assert(
    fc.property(anyExpression, (text) => {
      const tree = parse(text).root
      const printed = print(tree)
      assert.deepEqual(parse(printed).root, tree)
      assert.equal(print(parse(printed).root), printed)
    }),
    { numRuns: 2000 },
  )
})

test('the compiled predicate gives what a plain interpreter gives', () => {
  fc.assert(
    fc.property(anyExpression, anyRequest, (text, request) => {
      const expression = parse(text)
      const values = readValues(request, (type, name) => (name === 'few' ? listOf(type, few[type] ?? []) : undefined))
      assert.ok(values.ok)
      assert.equal(compile(expression)(values.value), interpret(expression.root as Root, values.value), text)
    }),
    { numRuns: 5000 },
  )
})

const few: Record<string, readonly unknown[]> = { Bytes: ['a', 'b'], Int: [1, 2], Ip: ['192.0.2.0/24'], Bool: [] }

const holds = (text: string, request: Record<string, unknown> = {}): boolean => {
  const values = readValues(request)
  assert.ok(values.ok)
  return compile(parse(text))(values.value)
}

test('every comparison with a missing value is false, so its negation is true', () => {
  for (const op of [
    'eq "a"',
    'ne "a"',
    'ge "a"',
    'contains ""',
    'matches ""',
    'wildcard "*"',
    'in {""}',
    'in $x',
    'ne http.cookie',
  ]) {
    assert.equal(holds(`http.host ${op}`), false, op)
    assert.equal(holds(`not http.host ${op}`), true, op)
  }
  for (const op of ['eq 0', 'ne 0', 'ge 0', 'le 0', '& 1', 'in {0}'])
    assert.equal(holds(`cf.threat_score ${op}`), false, op)
  for (const op of ['eq 192.0.2.1', 'ne 192.0.2.1', 'le 192.0.2.1', 'in {192.0.2.1}'])
    assert.equal(holds(`ip.src ${op}`), false)
  assert.equal(holds('ssl'), false)
})

test('any over nothing is false; all over nothing is true for a comparison and false for a missing array', () => {
  assert.equal(holds('any(http.request.headers.names[*] eq "a")'), false)
  assert.equal(holds('all(http.request.headers.names[*] eq "a")'), true)
  assert.equal(holds('all(starts_with(http.request.headers.names[*], "a"))'), false)
  assert.equal(
    holds('all(starts_with(http.request.headers.names[*], "a"))', { 'http.request.headers.names': [] }),
    true,
  )
})

test('integers are exact over their 64 bits', () => {
  const at = (value: bigint) => ({ 'cf.threat_score': value })
  assert.equal(holds('cf.threat_score eq 9007199254740993', at(9007199254740993n)), true)
  assert.equal(holds('cf.threat_score eq 9007199254740993', at(9007199254740992n)), false)
  assert.equal(holds('cf.threat_score lt 9007199254740993', at(9007199254740992n)), true)
  assert.equal(holds('cf.threat_score & 0x4000000000000000', at(2n ** 62n)), true)
  assert.equal(holds('cf.threat_score & 1', at(2n ** 62n)), false)
  assert.equal(holds('tcp.flags & -1', { 'tcp.flags': 0x80000000 }), true)
  assert.equal(holds('cf.threat_score in {-9223372036854775808..-1}', at(-(2n ** 63n))), true)
})

test('strings are bytes', () => {
  assert.equal(holds('http.host eq "\\xc3\\xa9"', { 'http.host': 'é' }), true)
  assert.equal(holds('http.host contains "\\xa9"', { 'http.host': 'é' }), true)
  assert.equal(holds('http.host gt "z"', { 'http.host': 'é' }), true)
  assert.equal(holds('http.host matches "^..$"', { 'http.host': 'é' }), true)
  assert.equal(holds('http.host matches "(?u)^.$"', { 'http.host': 'é' }), true)
  assert.equal(holds('http.host matches "(?i)\\xe9"', { 'http.host': 'É' }), false)
  assert.equal(holds('http.host wildcard "É*"', { 'http.host': 'éa' }), false)
  assert.equal(holds('http.request.headers["é"][0] eq "1"', { 'http.request.headers': { é: ['1'] } }), true)
})
