/** Jobs in the database: what two callers at once may not break, on both databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../test/databases.ts'
import { createAccount, createZone, theService } from '../access/index.ts'
import { fromRfc3339, makeVault, Problem, type Scope, second } from '../base/index.ts'
import { judgeDatasetFiles } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import type { Outside } from '../destinations/index.ts'
import type { JobNeeds } from './job.ts'
import { createJob, deleteJob, listJobs, updateJob, viewJob } from './jobs.ts'
import { issueChallenge } from './ownership.ts'
import type { JobChange } from './saving.ts'
import { rotateSigning, viewSigning } from './signing.ts'

const registry = judgeDatasetFiles([])
assert.ok(registry.ok)
const datasets = registry.value
const start = fromRfc3339('2026-11-15T12:00:00Z') ?? 0n

const rejectsWith = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error) => error instanceof Problem && message.test(error.message))

/** Needs with a world in which every write succeeds, and the tokens it was sent. */
function arrange(db: Db, changes: Partial<JobNeeds> = {}) {
  let now = start
  const written = new Map<string, string>()
  const outside = () =>
    ({
      now: () => new Date('2026-11-15T12:00:00Z'),
      endpoint: () => undefined,
      writeFile: async (path: string, body: Uint8Array) => void written.set(path, Buffer.from(body).toString()),
    }) as unknown as Outside
  const needs: JobNeeds = {
    db,
    now: () => now,
    vault: makeVault(Buffer.alloc(32, 7)),
    datasets,
    outside,
    ownership: 'storage',
    maxJobs: 0,
    ...changes,
  }
  const prove = async (scope: Scope, conf: string): Promise<string> => {
    const { filename } = await issueChallenge(needs, scope, conf)
    return written.get(filename) ?? assert.fail()
  }
  const tick = (seconds: number) => {
    now += BigInt(seconds) * second
  }
  return { needs, prove, tick }
}

async function aZone({ db, now }: JobNeeds, name: string): Promise<Scope> {
  const account = await createAccount({ db, now }, theService, { name: `account of ${name}` })
  const zone = await createZone({ db, now }, theService, { name, account: { id: account.id } })
  return { kind: 'zone', id: zone.id, account: account.id }
}

const jobAudit = (db: Db, id: number) =>
  db
    .selectFrom('audit_logs')
    .selectAll()
    .where('resource_type', '=', 'logexport_job')
    .where('resource_id', '=', String(id))
    .orderBy('number')
    .execute()

onEachDatabase((fresh) => {
  test('of fifty creations of one destination by two tenants at once, exactly one makes a job', async () => {
    const { database } = await fresh()
    const { needs, prove } = arrange(database.db, { ownership: 'always' })
    const tenants = [await aZone(needs, 'one.example'), await aZone(needs, 'two.example')]
    const spellings = ['file:///team/logs', 'file:///team//logs', 'file:///team/logs/']
    const attempts = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const scope = tenants[n % 2] ?? assert.fail()
        const conf = spellings[n % 3] ?? assert.fail()
        return { scope, draft: { destination_conf: conf, ownership_challenge: await prove(scope, conf) } }
      }),
    )
    const results = await Promise.allSettled(
      attempts.map(({ scope, draft }) => createJob(needs, theService, scope, draft)),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results) {
      if (result.status === 'rejected') assert.match(String(result.reason), /another job already writes/)
    }
    const { total } = await database.db
      .selectFrom('jobs')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    assert.equal(Number(total), 1)
    const created = await database.db
      .selectFrom('audit_logs')
      .select('id')
      .where('resource_type', '=', 'logexport_job')
      .execute()
    assert.equal(created.length, 1, 'what was refused is not recorded')
  })

  test('changes to different fields at once all stay, and each is recorded from what it found', async () => {
    const { database } = await fresh()
    const { needs } = arrange(database.db)
    const scope = await aZone(needs, 'one.example')
    const conf = 'https://receiver.example.com/in?header_X-Key=one'
    const { id } = await createJob(needs, theService, scope, { destination_conf: conf })
    const changes = [
      { name: 'renamed' },
      { enabled: true },
      { logfetch_options: 'fields=RayID' },
      { filter: '{"where":{"key":"ClientCountry","operator":"eq","value":"nz"}}' },
      { max_upload_bytes: 5_000_000 },
      { max_upload_records: 1_000 },
      { max_upload_interval_seconds: 60 },
      { frequency: 'low' as const },
      { destination_conf: conf.replace('one', 'two') },
    ]
    await Promise.all([
      ...changes.map((change) => updateJob(needs, theService, scope, id, change)),
      rotateSigning(needs, theService, scope, id),
    ])
    const job: Record<string, unknown> = await viewJob(needs, theService, scope, id)
    for (const change of changes) {
      for (const [field, value] of Object.entries(change)) assert.equal(job[field], value, field)
    }
    assert.equal((await viewSigning(needs, scope, id)).secrets.length, 2)
    const [, ...updates] = await jobAudit(database.db, id)
    assert.equal(updates.length, changes.length + 1)
    const whole = updates.filter(({ new_value }) => !new_value.includes('signing_secrets'))
    for (const [at, entry] of whole.slice(1).entries()) assert.equal(entry.old_value, whole[at]?.new_value)
  })

  test('of many deletions at once one succeeds and is recorded, and the destination is free', async () => {
    const { database } = await fresh()
    const { needs } = arrange(database.db)
    const scope = await aZone(needs, 'one.example')
    const draft = { destination_conf: 'https://receiver.example.com/in?header_X-Key=one' }
    const { id } = await createJob(needs, theService, scope, draft)
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => deleteJob(needs, theService, scope, id)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    const audit = await jobAudit(database.db, id)
    assert.deepEqual(
      audit.map(({ action_type }) => action_type),
      ['create', 'delete'],
    )
    const again = await createJob(needs, theService, scope, draft)
    assert.ok(again.id > id, 'a number is never given twice')
  })

  test('a job whose dataset is gone can be stopped and deleted, and nothing else', async () => {
    const { database } = await fresh()
    const { needs } = arrange(database.db)
    const scope = await aZone(needs, 'gone.example')
    const destination_conf = 'https://logs.example.com/in?header_Authorization=Bearer%20x'
    const { id } = await createJob(needs, theService, scope, { destination_conf, enabled: true })
    const none = { ...needs, datasets: { ...datasets, find: () => undefined } }
    const change = (changes: JobChange) => updateJob(none, theService, scope, id, changes)

    await rejectsWith(change({ name: 'new' }), /http_requests/)
    await rejectsWith(change({ enabled: false, filter: '{}' }), /http_requests/)
    await rejectsWith(change({ enabled: false, max_upload_records: 1 }), /max_upload_records/)
    const { logfetch_options } = await viewJob(none, theService, scope, id)
    assert.equal((await change({ enabled: false, destination_conf, logfetch_options })).enabled, false)
    assert.deepEqual(await deleteJob(none, theService, scope, id), { id })
  })

  test('the last place under the limit is given once, and the limit counts per dataset and scope', async () => {
    const { database } = await fresh()
    const { needs } = arrange(database.db, { maxJobs: 2 })
    const scope = await aZone(needs, 'one.example')
    const draft = (n: number, dataset = 'http_requests') => ({
      dataset,
      destination_conf: `https://receiver.example.com/in/${n}?header_X-Key=one`,
    })
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => createJob(needs, theService, scope, draft(n))),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2)
    await rejectsWith(createJob(needs, theService, scope, draft(20)), /exceeded max jobs allowed/)
    await createJob(needs, theService, scope, draft(21, 'firewall_events'))
    await createJob(needs, theService, await aZone(needs, 'two.example'), draft(22))
  })

  test('another scope neither sees, changes nor deletes a job, and cannot tell it from none', async () => {
    const { database } = await fresh()
    const { needs } = arrange(database.db)
    const scope = await aZone(needs, 'one.example')
    const { id } = await createJob(needs, theService, scope, {
      destination_conf: 'https://receiver.example.com/in?header_X-Key=one',
    })
    const parent: Scope = { kind: 'account', id: scope.account, account: scope.account }
    for (const other of [await aZone(needs, 'two.example'), parent]) {
      assert.deepEqual(await listJobs(needs, theService, other), [])
      for (const attempt of [
        () => viewJob(needs, theService, other, id),
        () => updateJob(needs, theService, other, id, { enabled: true }),
        () => deleteJob(needs, theService, other, id),
        () => viewSigning(needs, other, id),
        () => rotateSigning(needs, theService, other, id),
      ])
        await rejectsWith(attempt(), /^job not found: \d+$/)
    }
    assert.equal((await viewJob(needs, theService, scope, id)).enabled, false)
    assert.equal((await jobAudit(database.db, id)).length, 1)
  })

  test('what the exporter noted stays through a change, a stop among them', async () => {
    const { database } = await fresh()
    const { needs, tick } = arrange(database.db)
    const { db } = database
    const scope = await aZone(needs, 'one.example')
    const { id } = await createJob(needs, theService, scope, {
      destination_conf: 'https://receiver.example.com/in?header_X-Key=one',
      enabled: true,
    })
    const noted = {
      last_complete: '2026-11-15T11:59:00.000000000Z',
      last_error: '2026-11-15T11:59:30.000000000Z',
      error_message: 'answered 503',
    }
    await db.updateTable('jobs').set(noted).where('id', '=', id).execute()
    tick(60)
    const { last_complete, last_error, error_message, enabled } = await updateJob(needs, theService, scope, id, {
      enabled: false,
      name: 'stopped',
    })
    assert.deepEqual(
      [last_complete, last_error, error_message, enabled],
      ['2026-11-15T11:59:00.000000Z', '2026-11-15T11:59:30.000000Z', 'answered 503', false],
    )
  })
})
