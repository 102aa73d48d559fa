import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Bus, type Count, makeShares, mostWords } from './shares.ts'

/** A bus between two: what one tells, the other hears. */
function twoEnds(): { one: Bus; other: Bus; told: string[] } {
  const told: string[] = []
  const listening: { one: ((words: string) => void)[]; other: ((words: string) => void)[] } = { one: [], other: [] }
  const end = (mine: 'one' | 'other', theirs: 'one' | 'other'): Bus => ({
    async tell(words) {
      told.push(...words)
      for (const word of words) for (const listen of listening[theirs]) listen(word)
    },
    hear: (listen) => void listening[mine].push(listen),
  })
  return { one: end('one', 'other'), other: end('other', 'one'), told }
}

const ends = 60_000_000_000n

test('what one counts the other hears, key by key and group by group, however much it is', async () => {
  const counts = fc.array(
    fc.record({
      group: fc.constantFrom('users', 'zone/a', 'zone/b'),
      key: fc.stringMatching(/^[\w-]{1,40}$/),
      points: fc.integer({ min: 0, max: 1000 }),
    }),
    { maxLength: 600 },
  )
  await fc.assert(
    fc.asyncProperty(counts, async (noted) => {
      const { one, other, told } = twoEnds()
      const shares = makeShares(one)
      const heard = new Map<string, number>()
      makeShares(other).hear((group, key, { points }) => {
        heard.set(`${group} ${key}`, (heard.get(`${group} ${key}`) ?? 0) + points)
      })
      const expected = new Map<string, number>()
      for (const { group, key, points } of noted) {
        shares.note(group, key, { points, ends, refusedUntil: 0n })
        expected.set(`${group} ${key}`, (expected.get(`${group} ${key}`) ?? 0) + points)
      }
      await shares.close()
      assert.deepEqual(heard, expected)
      assert.ok(told.every((words) => words.length <= mostWords))
    }),
    { numRuns: 30 },
  )
})

test('what was counted in a period that has ended is not told with the next', async () => {
  const { one, other } = twoEnds()
  const shares = makeShares(one)
  const heard: Count[] = []
  makeShares(other).hear((_group, _key, count) => void heard.push(count))
  shares.note('g', 'k', { points: 5, ends, refusedUntil: 0n })
  shares.note('g', 'k', { points: 1, ends: 2n * ends, refusedUntil: 3n * ends })
  await shares.close()
  assert.deepEqual(heard, [{ points: 1, ends: 2n * ends, refusedUntil: 3n * ends }])
})

test('words that are none of ours are not heard, and keys beyond the bound are not told', async () => {
  const { one, other, told } = twoEnds()
  makeShares(other).hear(() => assert.fail('heard'))
  await one.tell([
    '',
    'users',
    'users x',
    'users x:1:2',
    'users x:-1:2:3',
    'users :1:2:3',
    `users x:${'9'.repeat(400)}:2:3`,
  ])
  told.length = 0
  const { one: bounded, told: words } = twoEnds()
  const shares = makeShares(bounded, { most: 2 })
  for (const key of ['a', 'b', 'c', 'a']) shares.note('g', key, { points: 1, ends, refusedUntil: 0n })
  await shares.close()
  assert.deepEqual(words, ['g a:2:60000:0 b:1:60000:0'])
})
