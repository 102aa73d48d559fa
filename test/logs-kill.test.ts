/** Records when things die: nothing acknowledged is lost, nothing repeated with its key is doubled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeGenerator, plainSelection } from '../src/datasets/index.ts'
import { append, scan } from '../src/logs/index.ts'
import { appendPatiently, aScope, bodyOf, openTestStore, read } from './logs-store.ts'

const isServer = process.env.SPILLWAY_TEST_CLICKHOUSE_URL !== undefined
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('killed twenty times with -9 under four writers, the engine loses and doubles nothing', {
  skip: isServer && 'no engine of ours to kill',
}, async () => {
  const house = await openTestStore()
  const dataset = house.needs.datasets.find('http_requests')
  assert.ok(dataset && house.engine)
  const scope = aScope()
  const acknowledged: string[] = []
  let isOver = false
  const write = async (writer: number) => {
    for (let batch = 0; !isOver; batch += 1) {
      const name = `${writer}-${batch}`
      const text = [0, 1, 2].map((line) => `{"RayID":"${name}-${line}"}`).join('\n')
      await appendPatiently(house.needs, scope, dataset, text, name)
      acknowledged.push(...[0, 1, 2].map((line) => `${name}-${line}`))
    }
  }
  try {
    const writers = [0, 1, 2, 3].map(write)
    for (let kills = 0; kills < 20; kills += 1) {
      await pause(20 + ((kills * 67) % 150))
      await house.engine.ready()
      const pid = house.engine.pid()
      if (pid) process.kill(pid, 'SIGKILL')
    }
    isOver = true
    await Promise.all(writers)
    const window = { from: 0n, to: house.needs.watermark.read() }
    const selection = { ...plainSelection(dataset), fields: ['RayID'] }
    const stored = (await read(await scan(house.needs, scope, dataset, window, selection)))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).RayID)
    assert.ok(acknowledged.length > 0)
    assert.deepEqual(stored.toSorted(), acknowledged.toSorted())
  } finally {
    isOver = true
    await house.close()
  }
})

test('killed during a fetch, the answer fails and the next one is whole', {
  skip: isServer && 'no engine of ours to kill',
}, async () => {
  const house = await openTestStore()
  const dataset = house.needs.datasets.find('http_requests')
  assert.ok(dataset && house.engine)
  try {
    const lines = makeGenerator(dataset, 3).lines(20_000)
    await append(house.needs, aScope(), dataset, bodyOf(lines))
    const window = { from: 0n, to: house.needs.watermark.read() }
    const selection = { ...plainSelection(dataset), fields: dataset.fields.map(({ name }) => name) }
    const stream = await scan(house.needs, aScope(), dataset, window, selection)
    const killed = house.engine.pid()
    process.kill(killed ?? 0, 'SIGKILL')
    await assert.rejects(read(stream))
    // On a busy machine it takes a while until the end of a child is heard of.
    while (house.engine.pid() === killed) await pause(20)
    await house.engine.ready()
    const text = await read(await scan(house.needs, aScope(), dataset, window, selection))
    assert.equal(text.trimEnd().split('\n').length, 20_000)
  } finally {
    await house.close()
  }
})

test('requests without a key that arrive together are all there after the engine dies in between', {
  skip: isServer && 'no engine of ours to kill',
}, async () => {
  const house = await openTestStore()
  const dataset = house.needs.datasets.find('http_requests')
  assert.ok(dataset && house.engine)
  try {
    const many = Array.from({ length: 40 }, (_, i) =>
      append(house.needs, aScope(), dataset, bodyOf(`{"RayID":"${i}"}`)),
    )
    process.kill(house.engine.pid() ?? 0, 'SIGKILL')
    const answers = await Promise.all(many)
    assert.equal(
      answers.reduce((sum, { accepted }) => sum + accepted, 0),
      40,
    )
    const window = { from: 0n, to: house.needs.watermark.read() }
    const text = await read(
      await scan(house.needs, aScope(), dataset, window, { ...plainSelection(dataset), fields: ['RayID'] }),
    )
    assert.equal(new Set(text.trimEnd().split('\n')).size, 40)
    assert.equal(text.trimEnd().split('\n').length, 40)
  } finally {
    await house.close()
  }
})
