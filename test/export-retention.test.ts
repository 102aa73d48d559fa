/** Retention: old records go, but not while a job owes them; and what goes all the same is said in three places. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { theService } from '../src/access/index.ts'
import {
  makeLog,
  makeMetrics,
  makeVault,
  type Nanos,
  newId,
  type Scope,
  second,
  systemClock,
  toMoment,
} from '../src/base/index.ts'
import { type Database, migrate, openDatabase } from '../src/db/index.ts'
import type { Outside } from '../src/destinations/index.ts'
import { keepHouse } from '../src/exporter/housekeeping.ts'
import {
  activityFrom,
  createJob,
  listDeliveries,
  makeRollCall,
  noteActivity,
  type TurnNeeds,
} from '../src/jobs/index.ts'
import { activity, append, countRecords } from '../src/logs/index.ts'
import { bodyOf, openTestStore, type TestStore } from './logs-store.ts'

const day = 86_400n * second
let shift = 0n
const now = () => systemClock() + shift
let store: TestStore
let database: Database
let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-db-'))
  database = openDatabase({ directory })
  await migrate(database.db)
  store = await openTestStore([], { now })
})
after(async () => {
  await store.close()
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

async function arrange() {
  const { db } = database
  const [account, zone] = [newId(), newId()]
  const moment = toMoment(now())
  await db.insertInto('accounts').values({ id: account, name: 'a', created_on: moment }).execute()
  await db
    .insertInto('zones')
    .values({ id: zone, account_id: account, name: `${zone}.example`, created_on: moment, modified_on: moment })
    .execute()
  const scope: Scope = { kind: 'zone', id: zone, account }
  const turns: TurnNeeds = {
    db,
    now,
    vault: makeVault(Buffer.alloc(32, 7)),
    datasets: store.needs.datasets,
    intervalSeconds: 30,
    leaseSeconds: 30,
    disableAfterHours: 0,
  }
  await activityFrom(turns)
  const world = {
    ...turns,
    outside: (): Outside => assert.fail('nothing is sent'),
    ownership: 'storage' as const,
    maxJobs: 0,
  }
  const destination_conf = `https://${zone}.example/in?header_Authorization=Bearer%20x`
  const job = await createJob(world, theService, scope, { destination_conf, enabled: true })
  const logLines: string[] = []
  const metrics = makeMetrics()
  const dataset = store.needs.datasets.find('http_requests', 'zone') ?? assert.fail()
  const note = async () => {
    const [from, to] = [await activityFrom(turns), store.needs.watermark.read()]
    const seen = (await activity(store.needs, { from, to })).map(({ id, ...rest }) => ({ scope: id, ...rest }))
    await noteActivity(turns, from, to, seen)
  }
  return {
    logLines,
    metrics,
    note,
    receive: async (count: number) => {
      const text = Array.from({ length: count }, (_, at) => `{"RayID":"r${at}"}\n`).join('')
      await append(store.needs, scope, dataset, bodyOf(text))
      await note()
    },
    stored: () =>
      countRecords(store.needs, scope, dataset, { from: 0n, to: now() + day }, {
        fields: [],
        sample: 1,
      } as never),
    /** The job exported everything up to now. */
    catchUp: (to: Nanos = now()) =>
      db
        .updateTable('jobs')
        .set({ owed_from: toMoment(to), next_turn: null })
        .where('id', '=', job.id)
        .execute(),
    keepHouse: (diskBytes = 0) =>
      keepHouse({
        turns,
        logs: store.needs,
        log: makeLog('info', { write: (line) => void logLines.push(line) }),
        metrics,
        rollCall: makeRollCall(db),
        retentionDays: 1,
        diskBytes,
        everyMs: 0,
      }),
    ledger: async () => (await listDeliveries(turns, scope, job.id, { per_page: 100 })).items,
  }
}

test('records that a job owes are kept, however old; once they are exported they go', async () => {
  const { receive, stored, keepHouse, catchUp, note } = await arrange()
  await receive(5)
  shift += 10n * day
  await keepHouse()
  assert.equal(await stored(), 5)
  await note()
  await catchUp()
  await keepHouse()
  assert.equal(await stored(), 0)
})

test('a job that sleeps in a silent zone keeps nobody’s records', async () => {
  const silent = await arrange()
  await silent.catchUp()
  const busy = await arrange()
  await busy.receive(3)
  shift += 10n * day
  await busy.catchUp()
  await busy.receive(1)
  await busy.keepHouse()
  assert.equal(await busy.stored(), 1, 'only today’s record is left')
})

test('what goes at the disk ceiling before it was exported is counted in the ledger, in a metric and in the log', async () => {
  const { receive, stored, keepHouse, ledger, metrics, logLines } = await arrange()
  await receive(7)
  shift += 2n * day
  await receive(1)
  await keepHouse(1)
  assert.equal(await stored(), 1, 'today’s records stay')
  const [lost] = await ledger()
  assert.deepEqual([lost?.outcome, lost?.window.state, lost?.rows], ['lost', 'lost', 7])
  assert.match(lost?.reason ?? '', /disk ceiling/)
  assert.match(await metrics.registry.metrics(), /spillway_records_lost_total\{dataset="http_requests"\} \d/)
  assert.ok(logLines.some((line) => line.includes('"level":50') && line.includes('disk ceiling')))
})
