import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onEachDatabase } from '../../test/databases.ts'
import { theService } from '../access/index.ts'
import { makeVault, type Nanos, newId, type Scope, second, toMoment } from '../base/index.ts'
import { makeRegistry } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import type { Outside } from '../destinations/index.ts'
import { activityFrom, noteActivity, wakeOverslept } from './activity.ts'
import { endTurn, renewTurn } from './end-turn.ts'
import { createJob, updateJob } from './jobs.ts'
import { noteParts } from './ledger.ts'
import { jobStatus, listStatuses } from './status.ts'
import { dropLeases, takeTurn } from './take-turn.ts'
import type { Turn, TurnNeeds } from './turn.ts'

const registry = makeRegistry()
if (!registry.ok) throw new Error('the shipped datasets are broken')
const datasets = registry.value
const vault = makeVault(Buffer.alloc(32, 7))
const start = 1_790_000_000n * second

/** A zone with jobs, a clock that the test moves, and a watermark that follows it. */
async function arrange(db: Db, jobs: number, settings: Partial<TurnNeeds> = {}) {
  let at = start
  const now = () => at
  const needs: TurnNeeds = {
    db,
    now,
    vault,
    datasets,
    intervalSeconds: 30,
    leaseSeconds: 60,
    disableAfterHours: 0,
    ...settings,
  }
  const account = newId()
  const zone = newId()
  const moment = toMoment(at)
  await db.insertInto('accounts').values({ id: account, name: 'a', created_on: moment }).execute()
  await db
    .insertInto('zones')
    .values({ id: zone, account_id: account, name: 'example.com', created_on: moment, modified_on: moment })
    .execute()
  const scope: Scope = { kind: 'zone', id: zone, account }
  const world = {
    ...needs,
    outside: (): Outside => assert.fail('nothing is sent here'),
    ownership: 'storage' as const,
    maxJobs: 0,
  }
  const ids: number[] = []
  for (let number = 0; number < jobs; number += 1) {
    const destination_conf = `https://logs-${number}.example.com/in?header_Authorization=Bearer%20x`
    ids.push((await createJob(world, theService, scope, { destination_conf, enabled: true })).id)
  }
  await activityFrom(needs)
  return {
    needs,
    world,
    scope,
    ids,
    now,
    pass: (nanos: Nanos) => {
      at += nanos
    },
    /** Records came in during the last second, for every job of the zone. */
    receive: async () => {
      const from = await activityFrom(needs)
      const first = at - second > from ? at - second : from
      await noteActivity(needs, from, at, [{ scope: zone, dataset: 'http_requests', first, last: at - 1n }])
    },
    take: (holder: string) => takeTurn(needs, holder, at),
    complete: (turn: Turn) => endTurn(needs, turn, { kind: 'complete', rows: 1 }, at),
    windows: () => db.selectFrom('windows').selectAll().orderBy('id').execute(),
    job: (id: number) => db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  }
}

onEachDatabase((fresh) => {
  test('a job with nothing to export sleeps, and wakes when records are noted', async () => {
    const { take, receive, pass, ids, job } = await arrange((await fresh()).database.db, 1)
    pass(second)
    assert.equal(await take('me'), undefined)
    assert.equal((await job(ids[0]!)).next_turn, null)
    pass(3600n * second)
    await receive()
    const turn = await take('me')
    assert.equal(turn?.window.purpose, 'export')
  })

  test('after an idle time the window begins with the first record, not when the job fell asleep', async () => {
    const { take, receive, pass, now } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await take('me')
    pass(5n * 86_400n * second)
    await receive()
    const turn = await take('me')
    assert.equal(turn?.window.from, now() - second)
  })

  test('records noted in the moment a job falls asleep are not skipped by the next ones', async () => {
    const { needs, take, receive, pass, ids, job } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await receive()
    const owed = (await job(ids[0]!)).owed_from
    // As if the job had gone to sleep just after the note was taken.
    await needs.db.updateTable('jobs').set({ next_turn: null }).execute()
    pass(7200n * second)
    await receive()
    assert.equal((await job(ids[0]!)).owed_from, owed)
    assert.equal(toMoment((await take('me'))!.window.from), owed)
    await needs.db.updateTable('jobs').set({ next_turn: null, lease_until: null }).execute()
    await wakeOverslept(needs)
    assert.notEqual((await job(ids[0]!)).next_turn, null)
  })

  test('jobs that wait for the watermark are passed over: they cost no lease, and nobody asks about them forever', async () => {
    const { needs, take, receive, pass, ids, job, windows } = await arrange((await fresh()).database.db, 3)
    // A slow database: whoever puts a job off by a moment finds it due again before the last of them was put off.
    const now = () => {
      pass(second)
      return needs.now()
    }
    assert.equal(await takeTurn({ ...needs, now }, 'me', start - second), undefined)
    assert.deepEqual([(await job(ids[0]!)).lease_number, (await job(ids[0]!)).next_turn], [0, toMoment(start)])
    await receive()
    const begun = (await take('crashed'))!
    pass(61n * second)
    assert.equal(
      (await takeTurn(needs, 'other', start - second))?.window.id,
      begun.window.id,
      'what was begun is resumed',
    )
    assert.equal((await windows()).length, 1)
  })

  test('thirty takers at once never lease one job twice', async () => {
    const { take, receive, pass } = await arrange((await fresh()).database.db, 20)
    pass(second)
    await receive()
    const turns: Turn[] = []
    // A taker that loses a race gets nothing and asks again.
    for (let round = 0; round < 20 && turns.length < 20; round += 1) {
      const taken = await Promise.all(Array.from({ length: 30 }, (_, taker) => take(`taker-${taker}`)))
      turns.push(...taken.filter((turn) => turn !== undefined))
    }
    assert.equal(turns.length, 20)
    assert.equal(new Set(turns.map((turn) => turn.job)).size, 20)
  })

  test('a window begun before a crash is resumed with the same range and the options of then', async () => {
    const { world, scope, take, receive, pass, ids } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await receive()
    const before = (await take('crashed'))!
    await updateJob(world, theService, scope, ids[0]!, { logfetch_options: 'fields=RayID' })
    pass(61n * second)
    const after = (await take('other'))!
    assert.deepEqual(after.window, before.window)
    assert.deepEqual(after.selection, before.selection)
    assert.ok(after.lease > before.lease)
  })

  test('a lost lease can neither be renewed nor end a turn', async () => {
    const { needs, take, receive, pass, complete, ids, job } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await receive()
    const stopped = (await take('stopped'))!
    pass(61n * second)
    const current = (await take('current'))!
    assert.equal(await renewTurn(needs, stopped), false)
    assert.equal(await complete(stopped), false)
    assert.equal((await job(ids[0]!)).last_complete, null)
    assert.equal(await complete(current), true)
    assert.equal((await job(ids[0]!)).last_complete, toMoment(current.window.to))
  })

  test('who stops a job ends the turn under way; nothing of the time until it is enabled again is exported', async () => {
    const { world, scope, take, receive, pass, complete, ids, job, now } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await receive()
    const turn = (await take('me'))!
    await updateJob(world, theService, scope, ids[0]!, { enabled: false })
    assert.equal(await complete(turn), false)
    pass(3600n * second)
    await receive()
    await updateJob(world, theService, scope, ids[0]!, { enabled: true })
    assert.equal((await job(ids[0]!)).owed_from, toMoment(now()))
    assert.equal(await take('me'), undefined)
  })

  test('a job that fails for long is disabled by the service, and enabling it resumes where it was', async () => {
    const { needs, world, scope, take, receive, pass, ids, job, now } = await arrange((await fresh()).database.db, 1, {
      disableAfterHours: 24,
    })
    pass(second)
    await receive()
    const first = (await take('me'))!
    await endTurn(needs, first, { kind: 'later', reason: 'answered 503' }, now())
    pass(25n * 3600n * second)
    const second_ = (await take('me'))!
    await endTurn(needs, second_, { kind: 'later', reason: 'answered 503' }, now())
    const stopped = await job(ids[0]!)
    assert.equal(stopped.enabled, 0)
    assert.equal(stopped.error_message, 'answered 503')
    const entry = await needs.db
      .selectFrom('audit_logs')
      .selectAll()
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    assert.equal(entry.actor_type, 'system')
    await updateJob(world, theService, scope, ids[0]!, { enabled: true })
    assert.deepEqual((await take('me'))?.window, first.window)
  })

  test('a failure is told with its time and reason, and a success clears both', async () => {
    const { needs, take, receive, pass, complete, ids, job, now } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await receive()
    await endTurn(needs, (await take('me'))!, { kind: 'later', reason: 'answered 403', afterMs: 5_000 }, now())
    assert.deepEqual(
      (({ last_error, error_message, failures }) => ({ last_error, error_message, failures }))(await job(ids[0]!)),
      { last_error: toMoment(now()), error_message: 'answered 403', failures: 1 },
    )
    pass(4n * second)
    assert.equal(await take('me'), undefined)
    pass(600n * second)
    await complete((await take('me'))!)
    const well = await job(ids[0]!)
    assert.deepEqual([well.last_error, well.error_message, well.failures], [null, null, 0])
  })

  test('one listing says of each job how far behind it is, what is under way and what it delivered last', async () => {
    const { needs, scope, take, receive, pass, ids } = await arrange((await fresh()).database.db, 3)
    pass(second)
    await receive()
    const turn = (await take('me')) ?? assert.fail()
    const part = { name: 'one', rows: 1, rawBytes: 2, bytes: 3, sha256: 'f'.repeat(64) }
    await noteParts(
      needs,
      turn,
      [1, 2].map((number) => ({ ...part, part: number })),
    )
    pass(60n * second)

    const listed = await listStatuses(needs, scope)
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids,
    )
    for (const { id, open_windows, waiting_windows, last_delivery, lag_seconds } of listed) {
      const isAtWork = id === turn.job
      assert.deepEqual([open_windows, waiting_windows, last_delivery?.part], isAtWork ? [1, 0, 2] : [0, 0, undefined])
      assert.ok(lag_seconds >= 60 && lag_seconds <= 61)
    }
    for (const status of listed) assert.deepEqual(await jobStatus(needs, scope, status.id), status)
    const elsewhere: Scope = { ...scope, id: newId() }
    assert.deepEqual(await listStatuses(needs, elsewhere), [])
    await assert.rejects(jobStatus(needs, elsewhere, turn.job), { message: /job not found/ })
  })

  test('a job that can no longer be understood fails by itself and holds up nobody', async () => {
    const { needs, take, receive, pass, ids, job } = await arrange((await fresh()).database.db, 3)
    pass(second)
    await receive()
    const [unsealed, unknown, sound] = ids as [number, number, number]
    await needs.db.updateTable('jobs').set({ conf_sealed: 'nonsense' }).where('id', '=', unsealed).execute()
    await needs.db.updateTable('jobs').set({ logfetch_options: 'fields=Gone' }).where('id', '=', unknown).execute()
    assert.equal((await take('me'))?.job, sound)
    assert.equal(await take('me'), undefined)
    assert.match((await job(unsealed)).error_message ?? '', /secret key/)
    assert.match((await job(unknown)).error_message ?? '', /Gone/)
    assert.equal((await job(unknown)).failures, 1)
  })

  test('a process that owns its database alone resumes at once after a crash', async () => {
    const { needs, take, receive, pass } = await arrange((await fresh()).database.db, 1)
    pass(second)
    await receive()
    const before = (await take('crashed'))!
    await dropLeases(needs)
    assert.deepEqual((await take('restarted'))?.window, before.window)
  })

  test('two exporters that crash, fail and race complete windows that tile time, one holder at a time', async () => {
    const { database } = await fresh()
    const step = fc.oneof(
      fc.record({ pass: fc.integer({ min: 0, max: 200 }) }),
      fc.record({ receive: fc.constant(true) }),
      fc.record({ take: fc.constantFrom('one', 'two') }),
      fc.record({ end: fc.constantFrom('complete', 'later', 'crash'), pick: fc.nat(5) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const table = ['deliveries', 'windows', 'jobs', 'activity', 'service_facts', 'zones', 'accounts'] as const
        for (const name of table) await database.db.deleteFrom(name).execute()
        const { needs, take, receive, pass, now, windows } = await arrange(database.db, 3)
        const live: { turn: Turn; until: Nanos }[] = []
        for (const one of steps) {
          if ('pass' in one) pass(BigInt(one.pass) * second)
          if ('receive' in one) await receive()
          if ('take' in one) {
            const turn = await take(one.take)
            if (!turn) continue
            const rival = live.find((other) => other.turn.job === turn.job && other.until >= now())
            assert.equal(rival, undefined, 'two holders of one job')
            live.push({ turn, until: now() + 60n * second })
          }
          if ('end' in one && live.length > 0) {
            const [held] = live.splice(one.pick % live.length, 1)
            if (one.end === 'complete') await endTurn(needs, held!.turn, { kind: 'complete', rows: 0 }, now())
            if (one.end === 'later') await endTurn(needs, held!.turn, { kind: 'later', reason: 'failed' }, now())
          }
        }
        for (const [, ofJob] of Map.groupBy(await windows(), (window) => window.job_id)) {
          const done = ofJob.filter((window) => window.state === 'done')
          for (const [at, window] of done.entries()) {
            // Only idle time may lie between two windows, and only one window is ever open.
            if (at > 0) assert.ok(window.from_time >= done[at - 1]!.to_time)
          }
          assert.ok(ofJob.filter((window) => window.state === 'begun').length <= 1)
        }
      }),
      { numRuns: 25 },
    )
  })
})
