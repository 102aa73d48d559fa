import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrayExamples, expressionReference, literalRows, operatorRows } from '../../scripts/reference/expression.ts'
import { fields, functions, testAgainstRequest } from '../../src/expression/index.ts'

// The examples of functions are run where the functions are: src/expression/functions/functions.test.ts.
test('every example of the reference page holds', () => {
  const shown = [...operatorRows.map((row) => row[3]), ...literalRows.map((row) => row[2]), ...arrayExamples]
  for (const [text, where] of shown) {
    const answer = testAgainstRequest(text, where)
    assert.ok(answer.ok, answer.ok ? '' : answer.reasons[0]?.message)
    assert.equal(answer.value, true, text)
  }
})

test('the reference page has every field and every function', () => {
  const page = expressionReference()
  for (const { name } of fields) assert.ok(page.includes(`| \`${name}\` |`), name)
  for (const { name } of functions) assert.ok(page.includes(`### ${name}\n`), name)
})
