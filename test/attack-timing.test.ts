/** Who guesses credentials learns nothing from how long an answer takes: each wrong guess costs the same steps. */
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, test } from 'node:test'
import { access } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

const { createHash, timingSafeEqual } = crypto
const steps = { hashes: 0, comparisons: 0 }
let house: House
before(async () => {
  house = await startHouse()
  crypto.createHash = (...given) => {
    steps.hashes += 1
    return createHash(...given)
  }
  crypto.timingSafeEqual = (left, right) => {
    steps.comparisons += 1
    return timingSafeEqual(left, right)
  }
  syncBuiltinESMExports()
})
after(async () => {
  Object.assign(crypto, { createHash, timingSafeEqual })
  syncBuiltinESMExports()
  await house.stop()
})

async function stepsOf(headers: Record<string, string>, status: number): Promise<typeof steps> {
  Object.assign(steps, { hashes: 0, comparisons: 0 })
  const answer = await fetch(`${house.baseUrl}/user`, { headers })
  assert.equal(answer.status, status)
  return { ...steps }
}

test('an unknown address and a wrong key of a known one cost the same hashes and one comparison in constant time', async () => {
  const { email, key } = house.credential
  const wrong = '0'.repeat(37)
  const unknown = await stepsOf({ 'x-auth-email': 'nobody@nowhere.test', 'x-auth-key': wrong }, 403)
  assert.ok(unknown.hashes > 0 && unknown.comparisons === 1, JSON.stringify(unknown))
  assert.deepEqual(await stepsOf({ 'x-auth-email': email, 'x-auth-key': wrong }, 403), unknown)
  // Right but for its last digit: a comparison that stopped early would be told apart here.
  const close = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  assert.deepEqual(await stepsOf({ 'x-auth-email': email, 'x-auth-key': close }, 403), unknown)
  assert.deepEqual(await stepsOf({ 'x-auth-email': email, 'x-auth-key': key }, 200), unknown)
})

test('a token is looked up by its hash, which no guess can approach letter by letter', async () => {
  const body = { name: 'a', permissions: ['logs:read' as const] }
  const { value = '' } = await house.client.call(access.createToken, { scope: house.accountScope, body })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const good = await stepsOf(bearer(value), 200)
  assert.ok(good.hashes > 0)
  const close = value.slice(0, -1) + (value.endsWith('A') ? 'B' : 'A')
  assert.deepEqual(await stepsOf(bearer(close), 403), good)
  assert.deepEqual(await stepsOf(bearer('x'.repeat(40)), 403), good)
})
