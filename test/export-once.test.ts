/** Effectively once: what a repeat writes is what the first try wrote. The siege shows it under fire; here is why it holds. */
import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { second } from '../src/base/index.ts'
import { logexport } from '../src/contract/index.ts'
import { nextWindow } from '../src/jobs/window.ts'
import { makeWatermark } from '../src/logs/index.ts'
import { type ExportHouse, eventually, rays, raysIn, startExportHouse } from './journeys/export-house.ts'

let house: ExportHouse
before(async () => {
  house = await startExportHouse()
})
after(() => house.stop())

/** The first try reaches the store, but its answer is lost; gives back what lay there before the second. */
async function repeated(directory: string, whileWaiting: () => Promise<void>, fields = {}) {
  const job = await house.toS3(directory, fields)
  house.chaos.mood = 'deaf'
  await house.send(...rays(2000))
  const first = await eventually(async () => {
    const there = house.objects(`logs/${directory}/`)
    return there.size > 0 && there
  })
  await eventually(async () => (await house.status(job)).failures > 0)
  await whileWaiting()
  house.chaos.mood = 'well'
  await eventually(async () => (await house.view(job)).last_complete !== null)
  const [receipt] = (await house.deliveries(job)).slice(-1)
  assert.ok((receipt?.attempts ?? 0) > 1, 'it was sent more than once')
  return { job, first, last: house.objects(`logs/${directory}/`) }
}

test('1. a window ends before the stamp of an insert that is still under way', () => {
  let now = 1_790_000_000n * second
  const watermark = makeWatermark(() => now)
  const early = watermark.stamp()
  now += 10n * second
  const late = watermark.stamp()
  late.settle()
  now += second
  const pace = { intervalSeconds: 1, longestSeconds: 300, cutSeconds: 86_400 }
  assert.equal(nextWindow(early.at - 5n * second, watermark.read(), pace)?.to, early.at)
  early.settle()
  assert.equal(nextWindow(early.at - 5n * second, watermark.read(), pace)?.to, now)
})

test('2. a sample keeps the same records when the window is exported again', async () => {
  const { first, last } = await repeated('sampled', async () => {}, { logfetch_options: 'fields=RayID&sample=0.5' })
  assert.deepEqual(last, first)
  const [object = Buffer.alloc(0)] = last.values()
  const kept = raysIn(object).length
  assert.ok(kept > 800 && kept < 1200, `${kept} of 2,000`)
})

test('3. records have one order, whatever came in after them and however the store arranges them', async () => {
  const { first, last } = await repeated('ordered', async () => {
    for (let batch = 0; batch < 10; batch += 1) await house.send(...rays(50, 'later'))
  })
  const [name = ''] = first.keys()
  assert.deepEqual(last.get(name), first.get(name))
  assert.deepEqual(raysIn(last.get(name) ?? Buffer.alloc(0)), rays(2000))
})

test('4. a window begun keeps its options, though the job has others by now', async () => {
  const { job, first, last } = await repeated('frozen', async () => {
    const scope = house.zoneScope
    const [job_id] = (await house.client.call(logexport.listJobs, { scope })).map(({ id }) => id).slice(-1)
    await house.client.call(logexport.updateJob, {
      scope,
      params: { job_id: job_id ?? 0 },
      body: { logfetch_options: 'fields=RayID,ClientIP' },
    })
  })
  assert.deepEqual(last, first)
  const [receipt] = await house.deliveries(job)
  assert.equal(receipt?.options_version, 1)
})

test('5. the packed bytes carry no time, and one name has one content', async () => {
  const { first, last } = await repeated('packed', async () => {})
  const [name = ''] = first.keys()
  assert.deepEqual(last, first)
  // RFC 1952: bytes 4 to 7 of a gzip header are the time of modification.
  assert.equal(last.get(name)?.readUInt32LE(4), 0)
  assert.match(name, /^logs\/packed\/\d{8}T\d{6}Z_\d{8}T\d{6}Z_[0-9a-f]{8}\.log\.gz$/)
})

test('spool files are gone after delivery and after failure', async () => {
  const isEmpty = async () => (await readdir(join(house.data, 'spool'))).length === 0
  await eventually(isEmpty)
  const job = await house.toS3('refused')
  house.chaos.mood = 'refuse'
  await house.send('a')
  await eventually(async () => (await house.status(job)).failures > 0)
  await eventually(isEmpty)
  house.chaos.mood = 'well'
})

test('what a crash left in the spool is gone after the next start', async () => {
  const first = await startExportHouse()
  const { data } = first
  await first.service.close()
  await mkdir(join(data, 'spool'), { recursive: true })
  await writeFile(join(data, 'spool', '1-1-1.0'), 'half a part')
  const second = await startExportHouse({ data })
  assert.deepEqual(await readdir(join(data, 'spool')).catch(() => []), [])
  await second.stop()
  await first.stop()
})
