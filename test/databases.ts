/** Runs a body of tests once on SQLite and once on PostgreSQL, each on fresh, migrated databases. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { type Database, type DatabasePlace, migrate, openDatabase } from '../src/db/index.ts'
import { freshPostgres, stopOwnPostgres } from './postgres.ts'

export type Fresh = { place: DatabasePlace; database: Database; drop(): Promise<void> }

async function freshPlace(dialect: 'sqlite' | 'postgres'): Promise<{ place: DatabasePlace; drop(): Promise<void> }> {
  if (dialect === 'postgres') {
    const { url, drop } = await freshPostgres()
    return { place: { url }, drop }
  }
  const directory = await mkdtemp(join(tmpdir(), 'spillway-db-'))
  return { place: { directory }, drop: () => rm(directory, { recursive: true, force: true }) }
}

/** `fresh()` gives a migrated database of its own; all are dropped when the body's tests are done. */
export function onEachDatabase(body: (fresh: () => Promise<Fresh>, dialect: 'sqlite' | 'postgres') => void): void {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`on ${dialect}`, () => {
      const made: Fresh[] = []
      body(async () => {
        const { place, drop } = await freshPlace(dialect)
        const database = openDatabase(place)
        await migrate(database.db)
        const fresh = { place, database, drop }
        made.push(fresh)
        return fresh
      }, dialect)
      after(async () => {
        for (const { database, drop } of made) {
          await database.close()
          await drop()
        }
        if (dialect === 'postgres') await stopOwnPostgres()
      })
    })
  }
}
