import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startStrait } from '../../test/endpoints/strait.ts'
import { freshPostgres } from '../../test/postgres.ts'
import { Problem } from '../base/index.ts'
import { openPool } from './pool.ts'

test('a connection that falls silent is given up, one that is cut is replaced, and whoever asked hears to try again', async () => {
  const { url, drop } = await freshPostgres()
  const strait = await startStrait({ port: Number(new URL(url).port) })
  const pool = openPool(Object.assign(new URL(url), { host: `127.0.0.1:${strait.port}` }).href, 500)
  const ask = async (sql: string) => {
    const client = await pool.connect()
    try {
      return (await client.query<{ one: number }>(sql, [])).rows
    } finally {
      client.release()
    }
  }
  const passes = (error: unknown) =>
    error instanceof Problem && error.refusal === 'unavailable' && error.retryAfter === 2
  try {
    assert.deepEqual(await ask('select 1 as one'), [{ one: 1 }])
    const held = await pool.connect()
    strait.passage = 'silent'
    await assert.rejects(held.query('select 1', []), passes)
    held.release()
    strait.passage = 'open'
    assert.deepEqual(await ask('select 2 as one'), [{ one: 2 }])
    const cut = assert.rejects(ask('select pg_sleep(20)'), passes)
    await new Promise((resolve) => setTimeout(resolve, 50))
    strait.cut()
    await cut
    await assert.rejects(ask('select nonsense'), (error) => !(error instanceof Problem))
    assert.deepEqual(await ask('select 3 as one'), [{ one: 3 }])
  } finally {
    await pool.end()
    await strait.stop()
    await drop()
  }
})
