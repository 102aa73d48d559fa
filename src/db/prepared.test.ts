import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../test/databases.ts'
import { prepared } from './prepared.ts'

const between = prepared((db, most: string, least: string, other: string) =>
  db
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('name', '>=', least)
    .where('name', '<=', most)
    .where('name', '!=', 'b')
    .where((eb) => eb.or([eb('id', '!=', other), eb('name', '=', other)]))
    .orderBy('name')
    .limit(3),
)

onEachDatabase((fresh) => {
  test('a prepared query is asked with the values of each call, and keeps what it always had', async () => {
    const { db } = (await fresh()).database
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      await db.insertInto('accounts').values({ id: name, name, created_on: '2026-01-01T00:00:00.000000000Z' }).execute()
    const names = async (...values: Parameters<typeof between>) => (await between(...values)).map(({ name }) => name)
    assert.deepEqual(await names(db, 'd', 'a', 'x'), ['a', 'c', 'd'])
    assert.deepEqual(await names(db, 'f', 'c', 'x'), ['c', 'd', 'e'])
    // The same statement inside a transaction sees what that has written.
    await db.transaction().execute(async (trx) => {
      await trx.deleteFrom('accounts').where('id', '=', 'c').execute()
      assert.deepEqual(await names(trx, 'd', 'a', 'a'), ['a', 'd'])
    })
    const [all, none] = await Promise.all([names(db, 'z', 'd', 'x'), names(db, 'a', 'z', 'x')])
    assert.deepEqual([all, none], [['d', 'e', 'f'], []])
  })
})
