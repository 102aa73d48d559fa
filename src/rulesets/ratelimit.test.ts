import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Count, second } from '../base/index.ts'
import { counterKey, makeCounters } from './ratelimit.ts'
import type { RateLimit } from './ruleset.ts'

const limit: RateLimit = {
  characteristics: ['ip.src'],
  period: 10,
  requests_per_period: 3,
  mitigation_timeout: 60,
  requests_to_origin: false,
}

/** Two processes; what one counts is carried over when `exchange` is called. */
function twoProcesses() {
  const told: { to: 0 | 1; key: string; count: Count }[] = []
  const counters = [
    makeCounters({ tell: (key, count) => void told.push({ to: 1, key, count }) }),
    makeCounters({ tell: (key, count) => void told.push({ to: 0, key, count }) }),
  ] as const
  const exchange = (now: bigint) => {
    for (const { to, key, count } of told.splice(0)) counters[to].hear(key, count, now)
  }
  return { one: counters[0], other: counters[1], exchange }
}

test('points counted by both are added, in the period that began first', () => {
  const { one, other, exchange } = twoProcesses()
  one.count('k', limit, 1, 0n)
  other.count('k', limit, 1, 2n * second)
  exchange(3n * second)
  assert.deepEqual([one.counted('k', 3n * second), other.counted('k', 3n * second)], [2, 2])
  // Both end with the first, at ten seconds, though the second began two seconds later.
  assert.deepEqual([one.counted('k', 10n * second), other.counted('k', 10n * second)], [0, 0])
})

test('a key that one process refuses is refused by the other, for as long', () => {
  const { one, other, exchange } = twoProcesses()
  one.count('k', limit, 3, 0n)
  assert.equal(one.isOver('k', limit, second), true)
  assert.equal(other.isOver('k', limit, second), false)
  exchange(2n * second)
  assert.equal(other.isOver('k', limit, 60n * second), true)
  assert.equal(other.isOver('k', limit, 61n * second), false)
})

test('what was counted in a period that is over here is not heard', () => {
  const { one, other, exchange } = twoProcesses()
  one.count('k', limit, 3, 0n)
  exchange(10n * second)
  assert.equal(other.counted('k', 10n * second), 0)
  other.count('k', limit, 1, 10n * second)
  assert.equal(other.counted('k', 19n * second), 1)
})

test('keys are as long for a long value as for a short one, and differ for an empty and a missing one', () => {
  const keys = [['x'.repeat(100_000)], ['x'], [''], [undefined]].map((values) => counterKey('rule', values))
  assert.equal(new Set(keys).size, 4)
  assert.ok(keys.every((key) => key.length === 16))
})
