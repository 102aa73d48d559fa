import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRecall } from './recall.ts'

function memory() {
  const world = { now: 0n, writes: 0, asked: 0, value: 'first' as string | undefined }
  const recall = makeRecall({ now: () => world.now, writes: () => world.writes })
  const ask = (key = 'key') =>
    recall(key, async () => {
      world.asked += 1
      return world.value
    })
  return { world, ask }
}

test('what was found is remembered for less than a second', async () => {
  const { world, ask } = memory()
  await ask()
  world.value = 'second'
  world.now = 999_999_999n
  assert.equal(await ask(), 'first')
  world.now = 1_000_000_000n
  assert.equal(await ask(), 'second')
  assert.equal(world.asked, 2)
})

test('anything that is written makes it forget everything', async () => {
  const { world, ask } = memory()
  await ask()
  world.value = 'second'
  world.writes += 1
  assert.equal(await ask(), 'second')
})

test('what is read while something is written is not remembered', async () => {
  const { world, ask } = memory()
  const early = ask()
  world.writes += 1
  assert.equal(await early, 'first')
  world.value = 'second'
  assert.equal(await ask(), 'second')
})

test('what is not there is asked for again', async () => {
  const { world, ask } = memory()
  world.value = undefined
  assert.equal(await ask(), undefined)
  world.value = 'made'
  assert.equal(await ask(), 'made')
})

test('a clock that was set back makes nothing last longer', async () => {
  const { world, ask } = memory()
  world.now = 3_600_000_000_000n
  await ask()
  world.now = 0n
  world.value = 'second'
  assert.equal(await ask(), 'second')
})

test('no more than so many are kept', async () => {
  const { world, ask } = memory()
  for (let key = 0; key < 25_000; key += 1) await ask(String(key))
  await ask('24999')
  assert.equal(world.asked, 25_000)
  await ask('0')
  assert.equal(world.asked, 25_001)
})
