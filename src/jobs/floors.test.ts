import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { onEachDatabase } from '../../test/databases.ts'
import { second } from '../base/index.ts'
import { makeWatermark } from '../logs/watermark.ts'
import { makeFloors } from './floors.ts'

onEachDatabase((fresh) => {
  test('the floors of others are read while their leases last, and are gone once withdrawn', async () => {
    const { db } = (await fresh()).database
    const [one, two] = [makeFloors({ db }, 'one', true), makeFloors({ db }, 'two', true)]
    await one.publish(5n * second, 60)
    await two.publish(3n * second, 60)
    assert.deepEqual((await one.read()).toSorted(), [3n * second, 5n * second].toSorted())
    await two.withdraw()
    assert.deepEqual(await one.read(), [5n * second])
    await two.publish(3n * second, 1)
    await wait(2_500)
    assert.deepEqual(await one.read(), [5n * second])
  })

  test('the watermark of all is the oldest insert under way in any process; one that only exports promises nothing', async () => {
    const { db } = (await fresh()).database
    let now = 1_790_000_000n * second
    const node = (name: string, mayStamp: boolean) =>
      makeWatermark(() => now, { floors: makeFloors({ db }, name, mayStamp) })
    const [ingest, exporter] = [node('ingest', true), node('export', false)]
    await ingest.exchange()
    const stamp = ingest.stamp()
    now += 10n * second
    await ingest.exchange()
    await exporter.exchange()
    assert.equal(exporter.read(), stamp.at)
    stamp.settle()
    await ingest.exchange()
    await exporter.exchange()
    assert.equal(exporter.read(), now)
  })
})
