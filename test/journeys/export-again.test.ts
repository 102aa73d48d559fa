/** Exporting a past range again, and proving that nothing is missing. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { second } from '../../src/base/index.ts'
import { logexport } from '../../src/contract/index.ts'
import { type ExportHouse, eventually, raysIn, startExportHouse } from './export-house.ts'
import type { Job } from './job-house.ts'

let house: ExportHouse
let job: Job
const range = {
  start: new Date(Date.now() - 3_600_000).toISOString(),
  end: new Date(Date.now() + 3_600_000).toISOString(),
}
before(async () => {
  house = await startExportHouse()
  job = await house.toS3('again')
  for (const ray of ['first', 'second', 'third']) {
    await house.send(ray)
    await eventually(async () => [...house.objects('logs/again/').values()].flatMap(raysIn).includes(ray))
  }
  await eventually(async () => (await house.status(job)).open_windows === 0)
})
after(() => house.stop())

const call = () => ({ scope: house.zoneScope, params: { job_id: job.id } })
const caughtUp = () =>
  eventually(async () => {
    const { open_windows, waiting_windows } = await house.status(job)
    return open_windows + waiting_windows === 0
  })
const audit = (repair = false) => house.client.call(logexport.auditJob, { ...call(), body: { ...range, repair } })

test('a backfill writes the same objects under the same names, and the ledger shows it', async () => {
  const before = house.objects('logs/again/')
  const receipts = (await house.deliveries(job)).length
  const { windows } = await house.client.call(logexport.backfill, { ...call(), body: range })
  assert.ok(windows >= 3)
  await caughtUp()
  const after = await house.deliveries(job)
  const again = after.slice(0, after.length - receipts)
  assert.ok(again.every(({ purpose, outcome }) => purpose === 'backfill' && outcome === 'delivered'))
  assert.deepEqual(house.objects('logs/again/'), before)
  assert.equal(
    again.reduce((sum, { rows }) => sum + rows, 0),
    3,
  )
})

test('what a backfill has not begun can be taken back', async () => {
  house.chaos.mood = 'refuse'
  const { windows } = await house.client.call(logexport.backfill, { ...call(), body: range })
  await eventually(async () => (await house.status(job)).failures > 0)
  const { cancelled } = await house.client.call(logexport.cancelBackfill, call())
  assert.ok(cancelled >= 1 && cancelled < windows)
  assert.equal((await house.status(job)).waiting_windows, 0)
  house.chaos.mood = 'well'
  house.tick(600n * second)
  await caughtUp()
})

test('an audit finds nothing missing, until a receipt is gone; a repair exports exactly that window', async () => {
  const whole = await audit()
  assert.deepEqual([whole.complete, whole.stored, whole.delivered], [true, 3, 3])

  const database = new DatabaseSync(join(house.data, 'spillway.db'), { timeout: 5000 })
  const lost = database.prepare('select from_time, to_time from windows where rows = 1 order by id limit 1').get()
  database
    .prepare('delete from deliveries where window_id in (select id from windows where from_time = ? and to_time = ?)')
    .run(String(lost?.from_time), String(lost?.to_time))
  database.close()

  const found = await audit()
  assert.deepEqual(
    found.gaps.map(({ from, to, stored, delivered }) => [from, to, stored, delivered]),
    [[lost?.from_time, lost?.to_time, 1, 0]],
  )
  const repair = await audit(true)
  assert.equal(repair.repairing, 1)
  await caughtUp()
  assert.equal((await audit()).complete, true)
  const [newest] = await house.deliveries(job)
  assert.deepEqual([newest?.purpose, newest?.rows], ['repair', 1])
})

test('an audit looks at the objects themselves; a repair writes again what is gone or was cut short', async () => {
  const before = house.objects('logs/again/')
  const [gone = '', cut = ''] = [...before.keys()]
  const stored = house.store.objects()
  stored.delete(gone)
  stored.set(cut, { headers: {}, body: (before.get(cut) ?? Buffer.alloc(0)).subarray(1) })

  const found = await audit()
  assert.deepEqual([found.complete, found.gaps.length, found.delivered], [false, 2, 1])
  const { looked, seen, missing, hidden } = found.objects
  assert.deepEqual(
    { looked, seen, missing, hidden },
    {
      looked: 3,
      seen: 1,
      missing: [gone, cut].map((name) => name.replace('logs/', '')).sort(),
      hidden: 0,
    },
  )
  assert.equal((await audit(true)).repairing, 2)
  await caughtUp()
  assert.deepEqual(house.objects('logs/again/'), before)
  assert.equal((await audit()).complete, true)
})

test('objects that the store will not show are counted, and the receipts stand for them', async () => {
  house.chaos.mood = 'refuse'
  const found = await audit()
  house.chaos.mood = 'well'
  assert.deepEqual([found.complete, found.objects.looked, found.objects.hidden], [true, 0, 3])
  assert.match(found.objects.reason ?? '', /the connection broke/)
})

test('a range that the ledger does not know is audited and repaired too, and stays repaired', async () => {
  const past = { start: new Date(Date.now() - 26 * 3_600_000).toISOString(), end: range.end }
  const { windows } = await house.client.call(logexport.backfill, { ...call(), body: past })
  assert.ok(windows >= 26)
  await caughtUp()
  const found = await house.client.call(logexport.auditJob, { ...call(), body: past })
  assert.equal(found.complete, true)
})
