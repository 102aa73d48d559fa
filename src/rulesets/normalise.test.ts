import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { normalisePath } from './normalise.ts'

const cases: readonly [told: string, seen: string][] = [
  ['/admin', '/admin'],
  ['/%61dmin', '/admin'],
  ['/%2e%2E/admin', '/admin'],
  ['/x/../admin', '/admin'],
  ['/x/%2e./admin', '/admin'],
  ['//admin', '/admin'],
  ['/\\admin', '/admin'],
  ['/./admin/.', '/admin/'],
  ['/admin/x/..', '/admin/'],
  ['/../../admin', '/admin'],
  ['/..', '/'],
  ['/', '/'],
  ['/a...b/.../c', '/a...b/.../c'],
  // A slash and a percent sign that were encoded mean themselves: decoding them would make another path.
  ['/a%2fb', '/a%2Fb'],
  ['/%2561dmin', '/%2561dmin'],
  ['/%zz%4', '/%zz%4'],
  ['/%c3%bc', '/%C3%BC'],
]

for (const [told, seen] of cases) test(`${told} is seen as ${seen}`, () => assert.equal(normalisePath(told), seen))

test('what was made one spelling stays as it is, and has no segment of dots', () => {
  const path = fc
    .array(fc.constantFrom('/', '.', '..', 'a', '%2e', '%2F', '%25', '%61', '\\', '2e', 'ü'), { maxLength: 12 })
    .map((parts) => `/${parts.join('')}`)
  fc.assert(
    fc.property(path, (told) => {
      const seen = normalisePath(told)
      assert.equal(normalisePath(seen), seen)
      assert.ok(seen.startsWith('/') && !/(^|\/)\.{1,2}(\/|$)|\/\/|\\/.test(seen), seen)
    }),
  )
})
