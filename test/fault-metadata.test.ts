/** Faults of the metadata itself: a database that lists no jobs, or half of them, and one of another version. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
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

test('a database that a newer version has migrated serves the older one that runs, and refuses to let it start again', async () => {
  await database.query('alter table jobs add column of_tomorrow text; create table tomorrow (id bigint)')
  await database.query("insert into kysely_migration (name, timestamp) values ('9999-tomorrow', 'now')")
  await house.send(...rays(5, 'older-'))
  await eventually(async () => (await filed('one')).filter((ray) => ray.startsWith('older-')).length === 5)
  await house.stop()
  await assert.rejects(startHouse({ data, databaseUrl: postgres.url }), (error: Error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /has run 9999-tomorrow, which this version of Spillway does not know/)
    return true
  })
  await database.query("delete from kysely_migration where name = '9999-tomorrow'")
  house = await open()
})
