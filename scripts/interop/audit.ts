/** What a gap audit must see in a store that others wrote: an object taken away and one cut short, and both repaired. */
import assert from 'node:assert/strict'
import { logexport, logs } from '../../src/contract/index.ts'
import { eventually } from '../../test/journeys/export-house.ts'
import { startJobHouse } from '../../test/journeys/job-house.ts'
import type { RealBucket } from './stores.ts'

export async function auditBucket(bucket: RealBucket): Promise<void> {
  const house = await startJobHouse({
    network: bucket.network,
    environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' },
  })
  try {
    const { client, zoneScope: scope } = house
    const destination_conf = bucket.conf('audited')
    const { filename } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
    const ownership_challenge = String(await bucket.read(filename))
    const proven = { destination_conf, ownership_challenge, enabled: true, logfetch_options: 'fields=RayID' }
    const { id } = await client.call(logexport.createJob, { scope, body: proven })
    const params = { job_id: id }
    const receipts = () => client.call(logexport.listDeliveries, { scope, params })
    const audit = (repair: boolean) => {
      const hourFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
      const body = { start: hourFromNow(-1), end: hourFromNow(1), repair }
      return client.call(logexport.auditJob, { scope, params, body })
    }
    for (const [at, ray] of ['first', 'second', 'third'].entries()) {
      const body = Buffer.from(`${JSON.stringify({ RayID: ray })}\n`)
      await client.call(logs.ingest, { scope, params: { dataset: 'http_requests' }, body })
      await eventually(async () => (await receipts()).filter(({ outcome }) => outcome === 'delivered').length > at)
    }
    assert.equal((await audit(false)).objects.seen, 3)

    const names = (await receipts()).map(({ object }) => object)
    const before = await Promise.all(names.map((name) => bucket.read(name)))
    const [gone = '', cut = ''] = names
    await bucket.remove(gone)
    await bucket.write(cut, (before[1] ?? assert.fail(`${cut} is not there`)).subarray(1))

    const found = await audit(true)
    assert.deepEqual([found.complete, found.gaps.length, found.repairing], [false, 2, 2])
    assert.deepEqual(found.objects.missing, [gone, cut].sort())
    await eventually(async () => (await audit(false)).complete)
    assert.deepEqual(await Promise.all(names.map((name) => bucket.read(name))), before)
  } finally {
    await house.stop()
  }
}
