import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { onEachDatabase } from '../../test/databases.ts'
import { freshPostgres, stopOwnPostgres } from '../../test/postgres.ts'
import { dumpSchema } from './dump.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openDatabase } from './open.ts'

test('every migration file is in the list, in order', async () => {
  const files = await readdir(join(import.meta.dirname, 'migrations'))
  const names = files.filter((name) => /^\d{4}-/.test(name)).map((name) => name.replace(/\.ts$/, ''))
  assert.deepEqual(Object.keys(migrations), names.sort())
})

onEachDatabase((fresh, dialect) => {
  test('migrations run once, and a second run changes nothing', async () => {
    const { database } = await fresh()
    assert.deepEqual(await migrate(database.db), [])
  })

  test('the schema is the one in the golden dump', async () => {
    const { database } = await fresh()
    const golden = join(import.meta.dirname, `schema.${dialect}.sql`)
    const dump = await dumpSchema(database)
    if (process.env.UPDATE_GOLDEN) await writeFile(golden, dump)
    assert.equal(dump, await readFile(golden, 'utf8'))
  })
})

test('processes that start at the same time on PostgreSQL do each migration once', async () => {
  const { url, drop } = await freshPostgres()
  const processes = [1, 2, 3].map(() => openDatabase({ url }))
  const done = await Promise.all(processes.map(({ db }) => migrate(db)))
  assert.deepEqual(done.flat(), Object.keys(migrations))
  for (const { close } of processes) await close()
  await drop()
  await stopOwnPostgres()
})
