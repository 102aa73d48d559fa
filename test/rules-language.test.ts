/** The conformance cases of the rules language, run as the command line runs them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runCases } from '../src/expression/index.ts'

const cases: unknown = JSON.parse(
  readFileSync(new URL('../src/expression/cases/rules-language.json', import.meta.url), 'utf8'),
)

test('every conformance case gives the documented answer, or the documented error at its place', () => {
  const results = runCases(cases)
  assert.ok(results.ok)
  assert.equal(results.value.text, '155 passed, 0 failed')
})

test('a case with a wrong expectation fails and says why', () => {
  const results = runCases([
    { id: 'wrong-answer', expr: 'ssl', context: { ssl: true }, expected: false },
    { id: 'wrong-error', expr: 'ssl)', expected: 'parse_error', error_message: 'unknown identifier' },
    { id: 'wrong-place', expr: 'ssl)', expected: 'parse_error', error_at: { line: 1, column: 1 } },
    { id: 'no-error', expr: 'ssl', expected: 'parse_error' },
    { id: 'an-error', expr: 'ss', expected: true },
    { id: 'bad-context', expr: 'ssl', context: { ssl: 'yes' }, expected: true },
    { id: 'right', expr: 'not ssl', context: { ssl: false }, expected: true },
  ])
  assert.ok(results.ok)
  assert.deepEqual(
    results.value.failures.map(({ id, why }) => `${id}: ${why.split('\n')[0]}`),
    [
      'wrong-answer: expected false, got true',
      'wrong-error: expected the error "unknown identifier", got "unrecognised input"',
      'wrong-place: expected the error at 1:1, got 1:4',
      'no-error: expected a parse error, but it parses',
      'an-error: expected true, but it does not parse:',
      'bad-context: its context cannot be read: ssl takes a value of type Bool',
    ],
  )
  assert.ok(results.value.text.endsWith('1 passed, 6 failed'))
})

test('what is no list of cases is refused', () => {
  assert.equal(runCases({}).ok, false)
  assert.equal(runCases([{ id: 'x' }]).ok, false)
})
