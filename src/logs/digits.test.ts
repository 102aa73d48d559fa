import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mayExceed64Bits } from './digits.ts'

const largest = 2n ** 63n - 1n
const line = (text: string) => Buffer.from(text)

test('a number of more than 64 bits is seen wherever it stands in a line', () => {
  const number = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })
  const padding = fc.string({ unit: fc.constantFrom('a', '.', 'é', '{', '7'), maxLength: 60 })
  fc.assert(
    fc.property(number, padding, padding, fc.boolean(), (value, before, after, isQuoted) => {
      const written = isQuoted ? `"${value}"` : String(value)
      const seen = mayExceed64Bits(line(`{"${before}x":${written},"a":"${after}x"}`))
      // The least of all is seen for nothing.
      assert.equal(seen, value > largest || value <= -largest - 1n)
    }),
    { numRuns: 2_000 },
  )
})

test('any run of digits too long is seen, and the largest number of 64 bits is none', () => {
  for (let offset = 0; offset < 40; offset += 1) {
    const name = 'n'.repeat(offset)
    assert.equal(mayExceed64Bits(line(`{"${name}":${largest}}`)), false)
    assert.equal(mayExceed64Bits(line(`{"${name}":${largest + 1n}}`)), true)
    assert.equal(mayExceed64Bits(line(`{"${name}":[1,+${'0'.repeat(19)}1]}`)), true)
    assert.equal(mayExceed64Bits(line(`{"${name}":"x${'1'.repeat(90)}"}`)), false)
  }
})
