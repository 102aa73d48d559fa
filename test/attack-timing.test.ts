/** Who guesses credentials learns nothing from how long an answer takes: each wrong guess costs the same steps. */
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { StatementSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { access } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'

const { createHash, hash, timingSafeEqual } = crypto
/** What a guess makes the service do: hashes, comparisons with the lengths compared, and questions to the database. */
type Steps = { hashes: number; comparisons: string[]; questions: string[] }
const none = (): Steps => ({ hashes: 0, comparisons: [], questions: [] })
let steps = none()
const { all } = StatementSync.prototype
let house: House
before(async () => {
  house = await startHouse()
  crypto.createHash = (...given) => {
    steps.hashes += 1
    return createHash(...given)
  }
  crypto.hash = ((...given: Parameters<typeof hash>) => {
    steps.hashes += 1
    return hash(...given)
  }) as typeof hash
  crypto.timingSafeEqual = (left, right) => {
    steps.comparisons.push(`${left.byteLength} with ${right.byteLength}`)
    return timingSafeEqual(left, right)
  }
  // Whoever exports or keeps house asks for other things meanwhile.
  StatementSync.prototype.all = function (this: StatementSync, ...values: never[]) {
    if (/\b(users|tokens|members)\b/.test(this.sourceSQL)) steps.questions.push(this.sourceSQL)
    return Reflect.apply(all, this, values)
  }
  syncBuiltinESMExports()
})
after(async () => {
  Object.assign(crypto, { createHash, hash, timingSafeEqual })
  StatementSync.prototype.all = all
  syncBuiltinESMExports()
  await house.stop()
})

async function stepsOf(headers: Record<string, string>, status: number): Promise<Steps> {
  steps = none()
  const answer = await fetch(`${house.baseUrl}/user`, { headers })
  assert.equal(answer.status, status)
  await answer.arrayBuffer()
  return steps
}

/** Who is let in makes more work than that, but knows it already. */
const untilKnown = (all: Steps): Steps => ({ ...all, questions: all.questions.slice(0, 1) })

test('an unknown address and a wrong key of a known one cost the same hashes and one comparison in constant time', async () => {
  const { email, key } = house.credential
  const wrong = '0'.repeat(37)
  const unknown = await stepsOf({ 'x-auth-email': 'nobody@nowhere.test', 'x-auth-key': wrong }, 403)
  assert.ok(unknown.hashes > 0, JSON.stringify(unknown))
  assert.deepEqual([unknown.comparisons, unknown.questions.length], [['64 with 64'], 1])
  assert.deepEqual(await stepsOf({ 'x-auth-email': email, 'x-auth-key': wrong }, 403), unknown)
  // Right but for its last digit: a comparison that stopped early would be told apart here.
  const close = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  assert.deepEqual(await stepsOf({ 'x-auth-email': email, 'x-auth-key': close }, 403), unknown)
  assert.deepEqual(untilKnown(await stepsOf({ 'x-auth-email': email, 'x-auth-key': key }, 200)), unknown)
})

test('a token is looked up by its hash, which no guess can approach letter by letter', async () => {
  const body = { name: 'a', permissions: ['logs:read' as const] }
  const { value = '' } = await house.client.call(access.createToken, { scope: house.accountScope, body })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const good = untilKnown(await stepsOf(bearer(value), 200))
  assert.ok(good.hashes > 0 && good.questions[0]?.includes('"token_hash" = ?'), JSON.stringify(good))
  const close = value.slice(0, -1) + (value.endsWith('A') ? 'B' : 'A')
  assert.deepEqual(await stepsOf(bearer(close), 403), good)
  assert.deepEqual(await stepsOf(bearer('x'.repeat(40)), 403), good)
})
