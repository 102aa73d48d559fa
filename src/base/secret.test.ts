import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { fingerprint, hashSecret, makeVault, newSecret, sameSecret } from './secret.ts'

const vault = makeVault(randomBytes(32))

test('what is sealed opens to the same text, and two seals of one text differ', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
      const sealed = vault.seal(plain)
      assert.equal(vault.open(sealed), plain)
      assert.notEqual(vault.seal(plain), sealed)
    }),
  )
})

test('a sealed text with one changed byte does not open', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (plain, at, by) => {
      const bytes = Buffer.from(vault.seal(plain).slice(3), 'base64url')
      const place = at % bytes.length
      bytes[place] = (bytes[place] ?? 0) ^ by
      assert.throws(() => vault.open(`v1.${bytes.toString('base64url')}`))
    }),
  )
})

for (const text of ['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'plain']) {
  test(`"${text}" was never sealed`, () => assert.throws(() => vault.open(text)))
}

test('another key opens nothing and signs differently', () => {
  const other = makeVault(randomBytes(32))
  assert.throws(() => other.open(vault.seal('a')))
  assert.notEqual(other.sign('a'), vault.sign('a'))
  assert.equal(vault.sign('a'), vault.sign('a'))
})

test('a key that is not 32 bytes long makes no vault', () => {
  assert.throws(() => makeVault(randomBytes(31)), /32 bytes/)
})

test('secrets compare by value, at any length', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => assert.equal(sameSecret(a, b), a === b)))
})

test('a new secret is 240 bits in URL-safe letters; its fingerprint is not the start of its hash', () => {
  const secret = newSecret()
  assert.match(secret, /^[\w-]{40}$/)
  assert.match(fingerprint(secret), /^[0-9a-f]{8}$/)
  assert.ok(!hashSecret(secret).startsWith(fingerprint(secret)))
})
