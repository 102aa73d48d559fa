import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { compileValue, fullScheme, functions, judge, readValues, showValue } from '../index.ts'

for (const { name, examples } of functions) {
  test(`every example of ${name} gives what its page says`, () => {
    assert.ok(examples.length > 0)
    for (const [text, gives, where = {}] of examples) {
      const judged = judge(text, fullScheme, 'any')
      assert.ok(judged.ok, judged.ok ? '' : judged.reasons[0].message)
      const values = readValues(where)
      assert.ok(values.ok, JSON.stringify(where))
      assert.deepEqual(showValue(compileValue(judged.value)(values.value)), gives ?? null, text)
    }
  })
}

test('the registry lists every function file, in order', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => !/^index\.ts$|\.test\.ts$/.test(file))
  assert.deepEqual(
    functions.map(({ name }) => `${name.replaceAll('_', '-')}.ts`),
    files.toSorted(),
  )
})

test('a call with too few, too many or wrong arguments is refused with a span', () => {
  for (const { name, takes, rest } of functions) {
    const none = judge(`${name}()`, fullScheme, 'any')
    assert.ok(!none.ok && none.reasons[0].fault.message === 'invalid number of arguments', name)
    // No function takes a map of arrays first but those that take any map.
    const wrong = judge(`${name}(http.request.uri.args["x"][*][*])`, fullScheme, 'any')
    assert.ok(!wrong.ok && wrong.reasons[0].fault.column > name.length, name)
    if (rest) continue
    const many = Array.from({ length: takes.length + 1 }, () => 'http.host').join(', ')
    assert.equal(judge(`${name}(${many})`, fullScheme, 'any').ok, false, name)
  }
})
