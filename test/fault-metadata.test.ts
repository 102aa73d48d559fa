/** Faults of the metadata itself: a database that lists no jobs, or half of them, and one of another version. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { access, audit, lists, logexport, rulesets } from '../src/contract/index.ts'
import { StartupError } from '../src/house-lock.ts'
import { startHouse } from './house.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'
import { freshPostgres } from './postgres.ts'

let data: string
let fileRoot: string
let postgres: Awaited<ReturnType<typeof freshPostgres>>
let database: pg.Client
let house: ExportHouse

const open = () => startExportHouse({ data, databaseUrl: postgres.url, environment: { SPILLWAY_FILE_ROOT: fileRoot } })

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'spillway-metadata-'))
  fileRoot = join(data, 'exports')
  postgres = await freshPostgres()
  database = new pg.Client({ connectionString: postgres.url })
  await database.connect()
  house = await open()
  await house.toFiles('one')
  await house.toFiles('two')
  // The roll is called about once a second: whoever is to be missed must have been heard.
  await eventually(async () => JSON.parse(await readFile(join(data, 'known-jobs.json'), 'utf8')).length === 2)
})

after(async () => {
  await house.stop()
  await database.end()
  await postgres.drop()
  await rm(data, { recursive: true, force: true })
})

/** From now on the database shows only some of the jobs, to everyone who asks. */
async function showJobs(condition: string): Promise<void> {
  await database.query(
    `begin; alter table jobs rename to jobs_whole; create view jobs as select * from jobs_whole where ${condition}; commit`,
  )
}

async function showAllJobs(): Promise<void> {
  await database.query('begin; drop view jobs; alter table jobs_whole rename to jobs; commit')
}

const ready = async () => (await fetch(`${house.service.url}/readyz`)).text()
const scheduling = async () =>
  /^spillway_scheduling (\d)/m.exec(await (await fetch(`${house.service.url}/metrics`)).text())?.[1]
const filed = async (name: string) => (await house.filed(name)).flat()
const windows = async () => Number((await database.query('select count(*) from windows')).rows[0].count)

const cases = [
  { answer: 'no jobs', condition: 'false', missing: 2 },
  { answer: 'half of the jobs', condition: 'id = (select max(id) from jobs_whole)', missing: 1 },
]
for (const { answer, condition, missing } of cases)
  test(`a database that answers with ${answer} stops the scheduler and raises an alarm, before and after a restart`, async () => {
    const prefix = `${missing}-`
    await showJobs(condition)
    const words = `${missing} jobs are missing from the metadata database; nothing is scheduled until they are back`
    await eventually(async () => (await ready()).includes(words))
    assert.equal(await scheduling(), '0')
    const begun = await windows()
    await house.send(...rays(10, prefix))
    await house.stop()
    house = await open()
    await eventually(async () => (await ready()).includes(words))
    assert.ok(house.logLines.some((line) => line.includes(words)))
    assert.equal(await windows(), begun, 'no window was begun, for the jobs that are there neither')
    await showAllJobs()
    for (const name of ['one', 'two'])
      await eventually(async () => (await filed(name)).filter((ray) => ray.startsWith(prefix)).length === 10)
    assert.equal(await scheduling(), '1')
  })

test('a job that was deleted is not missed, over a restart neither', async () => {
  const gone = await house.toFiles('gone')
  await eventually(async () => (await ready()) && (await scheduling()) === '1')
  await house.stop()
  house = await open()
  await house.ask('DELETE', `/jobs/${gone.id}`)
  await house.stop()
  house = await open()
  await house.send(...rays(5, 'after-'))
  await eventually(async () => (await filed('one')).filter((ray) => ray.startsWith('after-')).length === 5)
  assert.equal(await scheduling(), '1')
})

/** As a newer version does when it starts beside us: by adding only, to every table. */
async function migrateToTomorrow(): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'kysely%'",
  )
  assert.ok(rows.length > 10)
  const additions = rows.flatMap(({ name }) => [
    `alter table "${name}" add column of_tomorrow text`,
    `alter table "${name}" add column counted_tomorrow integer not null default 7`,
    `create index "${name}_of_tomorrow" on "${name}" (of_tomorrow)`,
  ])
  const name = "insert into kysely_migration (name, timestamp) values ('9999-tomorrow', 'now')"
  await database.query(['begin', ...additions, 'create table tomorrow (id bigint)', name, 'commit'].join('; '))
}

/** Everything that a tenant does in a day; the answers. */
async function aDaysWork(day: string): Promise<unknown[]> {
  const { client, zoneScope: scope, accountScope } = house
  const said: unknown[] = []
  const call: typeof client.call = async (...asked) => {
    const answer = await client.call(...asked)
    said.push(answer)
    return answer
  }
  const job = await house.toFiles(day)
  const params = { job_id: job.id }
  await call(logexport.updateJob, { scope, params, body: { name: day } })
  await house.send(...rays(5, `${day}-`))
  await eventually(async () => (await filed(day)).filter((ray) => ray.startsWith(day)).length === 5)
  said.push(job, await house.view(job), await house.status(job), await house.deliveries(job))
  await call(logexport.listJobs, { scope })
  await call(logexport.deleteJob, { scope, params })
  const zone = await call(access.createZone, { body: { name: `${day}.example.com`, account: { id: house.account } } })
  const inZone = { scope: { zone: zone.id } }
  const list = await call(lists.createList, { scope: accountScope, body: { name: `list_${day}`, kind: 'ip' } })
  await call(lists.addItems, { scope: accountScope, params: { list_id: list.id }, body: [{ ip: '192.0.2.1' }] })
  const rule = { action: 'block', expression: `ip.src in $list_${day}` } as const
  const custom = { phase: 'http_request_firewall_custom' } as const
  const entry = await call(rulesets.updateEntryPoint, { ...inZone, params: custom, body: { rules: [rule] } })
  const inRuleset = { ...inZone, params: { ruleset_id: entry?.id ?? '' } }
  await call(rulesets.addRule, {
    ...inRuleset,
    body: { action: 'block', expression: 'http.request.uri.path eq "/no"' },
  })
  await call(rulesets.listVersions, inRuleset)
  await call(rulesets.viewEntryPoint, { ...inZone, params: custom })
  const body = { name: day, permissions: ['logs:read' as const] }
  const token = await call(access.createToken, { scope: accountScope, body })
  await house.as({ token: token.value ?? '' }).call(access.verifyToken, {})
  await call(access.listTokens, { scope: accountScope })
  await call(access.revokeToken, { scope: accountScope, params: { token_id: token.id } })
  await call(access.listMembers, { scope: accountScope })
  await call(rulesets.deleteRuleset, inRuleset)
  await call(access.deleteZone, { ...inZone })
  await call(audit.listAccountAudit, { scope: accountScope, query: { per_page: 100 } })
  return said
}

test('a database that a newer version migrates under a running older one serves all of its work, and shows it nothing new', async () => {
  // Statements that were prepared for the tables of today meet those of tomorrow.
  await aDaysWork('today')
  await migrateToTomorrow()
  const said = await aDaysWork('tomorrow')
  assert.ok(!/of_tomorrow|counted_tomorrow/.test(JSON.stringify(said)))
  assert.equal((await fetch(`${house.service.url}/readyz`)).status, 200)
})

test('an older version does not start on a database that a newer one has migrated, and changes nothing there', async () => {
  await house.stop()
  const schema = async () => (await database.query('select * from kysely_migration order by name')).rows
  const before = await schema()
  await assert.rejects(startHouse({ data, databaseUrl: postgres.url }), (error: Error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /has run 9999-tomorrow, which this version of Spillway does not know/)
    return true
  })
  assert.deepEqual(await schema(), before)
  await database.query("delete from kysely_migration where name = '9999-tomorrow'")
  house = await open()
})
