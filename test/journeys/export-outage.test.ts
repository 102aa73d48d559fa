/** Outages: of a destination for a week, of the list of jobs, of the disk's room. Nobody else notices, and nothing is lost quietly. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { second } from '../../src/base/index.ts'
import { logexport } from '../../src/contract/index.ts'
import { startChaos } from '../endpoints/chaos.ts'
import { type Receiver, startReceiver } from '../endpoints/index.ts'
import { type ExportHouse, eventually, startExportHouse } from './export-house.ts'

const hour = 3600n * second
const day = 24n * hour

test('a destination that is down for a week holds up nobody, and hears everything when it is back', async () => {
  const [house, receiver] = await Promise.all([
    startExportHouse({ environment: { SPILLWAY_OWNERSHIP: 'storage' } }),
    startReceiver('https'),
  ])
  const chaos = await startChaos(receiver)
  const well = await house.toFiles('well/{DATE}')
  const ill = await house.client.call(logexport.createJob, {
    scope: house.zoneScope,
    body: {
      destination_conf: `https://127.0.0.1:${chaos.port}/in?header_Authorization=Bearer%20x`,
      enabled: true,
      logfetch_options: 'fields=RayID',
    },
  })
  chaos.mood = 'refuse'
  const sent: string[] = []
  for (let today = 0; today < 7; today += 1) {
    await house.send(`day-${today}`)
    sent.push(`day-${today}`)
    await eventually(async () => (await house.filed('well')).flat().length === sent.length)
    assert.ok((await house.status(well)).lag_seconds < 30, 'the others keep up')
    house.tick(day)
  }
  assert.deepEqual((await house.filed('well')).flat(), sent, 'each day below its own date, in order')
  assert.equal((await readdir(join(house.fileRoot, 'well'))).length, 7)
  const failing = await eventually(async () => {
    const one = await house.status(ill)
    return one.lag_seconds > 6 * 86_400 && one
  })
  assert.ok(failing.failures > 0)
  const ready = await eventually(async () => {
    const said = (await (await fetch(house.baseUrl.replace('/v4', '/readyz'))).json()) as {
      status: string
      behind?: { job: number }[]
    }
    // What is said is some seconds old: the last day may have begun before the other job had ended its turn.
    return said.behind?.every(({ job }) => job === ill.id) && said
  })
  assert.deepEqual([ready.status, ready.behind?.map(({ job }) => job)], ['ready', [ill.id]])
  assert.match((await house.view(ill)).error_message ?? '', /delivery to https:.* failed: /)

  chaos.mood = 'well'
  // Past the longest back-off there is.
  house.tick(hour)
  const heard = await eventually(async () => {
    const all = receiver.requests().flatMap(({ text }) => text.trimEnd().split('\n'))
    return all.length >= 7 && all
  })
  // A clock that jumps an hour ends the leases under way, but not the work: nothing comes a second time.
  assert.deepEqual(
    heard.map((line) => JSON.parse(line).RayID),
    sent,
  )
  await eventually(async () => (await house.view(ill)).error_message === null)
  await house.stop()
  await chaos.stop()
  await receiver.stop()
})

describe('what a destination says', () => {
  let house: ExportHouse
  let receiver: Receiver
  before(async () => {
    ;[house, receiver] = await Promise.all([
      startExportHouse({ environment: { SPILLWAY_OWNERSHIP: 'storage', SPILLWAY_DISABLE_AFTER_HOURS: '24' } }),
      startReceiver('https'),
    ])
  })
  after(async () => {
    await house.stop()
    await receiver.stop()
  })
  const jobTo = (path: string) =>
    house.client.call(logexport.createJob, {
      scope: house.zoneScope,
      body: {
        destination_conf: `https://${receiver.host}/${path}?header_Authorization=Bearer%20x`,
        enabled: true,
        logfetch_options: 'fields=RayID',
      },
    })
  const remove = (job: { id: number }) =>
    house.client.call(logexport.deleteJob, { scope: house.zoneScope, params: { job_id: job.id } })

  test('Retry-After is honoured: no request before its time', async () => {
    const job = await jobTo('patient')
    receiver.misbehave({ status: 503, headers: { 'retry-after': '600' } })
    await house.send('a')
    const status = await eventually(async () => {
      const one = await house.status(job)
      return one.failures === 1 && one
    })
    const waits = (Date.parse(status.next_turn ?? '') - Date.parse(status.failing_since ?? '')) / 1000
    assert.ok(waits >= 599, `${waits} s`)
    assert.equal(receiver.requests().length, 0)
    house.tick(601n * second)
    await eventually(async () => receiver.requests().length === 1)
    await remove(job)
  })

  test('a refusal is told apart from an outage, with its status', async () => {
    const job = await jobTo('refusing')
    receiver.misbehave({ status: 403 })
    await house.send('b')
    const refused = await eventually(async () => (await house.view(job)).error_message)
    assert.match(refused, /refused: answered 403/)
    const [delivery] = await house.deliveries(job)
    assert.deepEqual([delivery?.outcome, delivery?.last_status], ['refused', 403])
    house.tick(10n * second)
    await eventually(async () => (await house.view(job)).error_message === null)
    receiver.misbehave(...Array.from({ length: 3 }, () => ({ status: 502 })))
    await house.send('c')
    const failed = await eventually(async () => (await house.view(job)).error_message)
    assert.match(failed, /failed: answered 502/)
    await remove(job)
    receiver.behave()
  })

  test('after the configured hours of failing the job is disabled, and enabling it again loses nothing', async () => {
    const job = await jobTo('hopeless')
    const stuck = setInterval(() => receiver.misbehave({ status: 500 }), 20)
    await house.send('d')
    await eventually(async () => (await house.status(job)).failures > 0)
    house.tick(25n * hour)
    const disabled = await eventually(async () => {
      const one = await house.view(job)
      return !one.enabled && one
    })
    assert.match(disabled.error_message ?? '', /answered 500/)
    clearInterval(stuck)
    receiver.behave()
    const before = receiver.requests().length
    await house.client.call(logexport.updateJob, {
      scope: house.zoneScope,
      params: { job_id: job.id },
      body: { enabled: true },
    })
    await eventually(async () => receiver.requests().length > before)
    assert.match(receiver.requests().at(-1)?.text ?? '', /"d"/)
  })
})

describe('a list of jobs that is suddenly empty', () => {
  test('stops scheduling and says so, and goes on when the jobs are back', async () => {
    const house = await startExportHouse()
    const job = await house.toFiles('kept')
    await house.send('before')
    await eventually(async () => (await house.filed('kept')).flat().length === 1)
    // The roll is called about once a second; a job that no call has heard of cannot be missed.
    await wait(3_000)
    const database = new DatabaseSync(join(house.data, 'spillway.db'), { timeout: 5000 })
    database.exec('pragma foreign_keys = off')
    database.exec('create table hidden as select * from jobs; delete from jobs')
    const ready = async () => fetch(house.baseUrl.replace('/v4', '/readyz'))
    const said = await eventually(async () => {
      const answer = await ready()
      return answer.status === 503 && (await answer.text())
    })
    assert.match(said, /1 jobs? (is|are) missing/)
    await house.send('meanwhile')
    database.exec('insert into jobs select * from hidden; drop table hidden')
    database.close()
    await eventually(async () => (await ready()).status === 200)
    assert.deepEqual(
      await eventually(async () => {
        const all = (await house.filed('kept')).flat()
        return all.length === 2 && all
      }),
      ['before', 'meanwhile'],
    )
    assert.equal((await house.view(job)).last_error, null)
    await house.stop()
  })
})
