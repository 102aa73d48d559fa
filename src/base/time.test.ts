import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromRfc3339, showMoment, toMoment, toRfc3339 } from './time.ts'

const first = BigInt(Date.parse('0000-01-01T00:00:00Z')) * 1_000_000n
const last = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1_000_000n + 999_999n
const instant = fc.bigInt({ min: first, max: last })

test('any instant of the years 0 to 9999 survives the way to text and back', () => {
  fc.assert(fc.property(instant, (at) => assert.equal(fromRfc3339(toRfc3339(at, 'nanoseconds')), at)))
})

test('stored moments sort as text as they do in time', () => {
  fc.assert(fc.property(instant, instant, (a, b) => assert.equal(toMoment(a) < toMoment(b), a < b)))
})

test('a coarser text is the instant cut, never rounded up', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom('seconds', 'milliseconds', 'microseconds'), (at, precision) => {
      const back = fromRfc3339(toRfc3339(at, precision))
      assert.ok(back !== undefined && back <= at && at - back < 1_000_000_000n)
    }),
  )
})

test('an offset says the same instant', () => {
  const offset = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.constantFrom('+', '-'))
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 4_000_000_000n }), offset, (seconds, [hours, minutes, sign]) => {
      const away = BigInt((hours * 60 + minutes) * 60 * (sign === '-' ? -1 : 1))
      const local = toRfc3339((seconds + away) * 1_000_000_000n).replace('Z', '')
      const text = `${local}${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
      assert.equal(fromRfc3339(text), seconds * 1_000_000_000n)
    }),
  )
})

const texts: [string, string | undefined][] = [
  ['2026-11-15T02:33:59Z', '2026-11-15T02:33:59.000000000Z'],
  ['2026-11-15t02:33:59z', '2026-11-15T02:33:59.000000000Z'],
  ['2026-11-15T02:33:59.1234567891234Z', '2026-11-15T02:33:59.123456789Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000000Z'],
  ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000000000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000000Z'],
  ['2023-02-29T00:00:00Z', undefined],
  ['2026-02-31T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-00-10T00:00:00Z', undefined],
  ['2026-11-15T24:00:00Z', undefined],
  ['2026-11-15T02:60:00Z', undefined],
  ['2026-11-15T02:33:59', undefined],
  ['2026-11-15', undefined],
  ['2026-11-15T02:33:59+24:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['12', undefined],
  ['', undefined],
]
for (const [text, meant] of texts) {
  test(`"${text}" ${meant ? `means ${meant}` : 'names no instant'}`, () => {
    const at = fromRfc3339(text)
    assert.equal(at === undefined ? undefined : toMoment(at), meant)
  })
}

test('the API shows a stored moment in microseconds', () => {
  assert.equal(showMoment('2026-11-15T02:33:59.123456789Z'), '2026-11-15T02:33:59.123456Z')
})
