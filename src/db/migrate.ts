/** Brings the tables to the newest form, under a lock, so that any number of processes may start at once. */
import { Migrator, sql } from 'kysely'
import { Problem } from '../base/index.ts'
import { migrations } from './migrations/index.ts'
import type { Db } from './open.ts'

/** A newer version of the service was here. It may run beside older ones, but an older one does not start after it. */
export class NewerDatabase extends Error {
  constructor(migration: string) {
    super(
      `the metadata database has run ${migration}, which this version of Spillway does not know; start the newer version`,
    )
  }
}

/** The names of the migrations that were run now; none when the database was up to date. */
export async function migrate(db: Db): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) {
    const [, unknown] = /previously executed migration (\S+) is missing/.exec((error as Error).message ?? '') ?? []
    if (unknown) throw new NewerDatabase(unknown)
    const at = results.find((result) => result.status === 'Error')?.migrationName
    throw new Error(`migration ${at ?? 'of the metadata database'} failed: ${(error as Error).message ?? error}`, {
      cause: error instanceof Problem ? error.cause : error,
    })
  }
  return results.map((result) => result.migrationName)
}

/** What separates a database from this code: which migrations it has run, has still to run, and knows but we do not. */
export type MigrationState = {
  readonly ran: readonly string[]
  readonly pending: readonly string[]
  readonly unknown: readonly string[]
}

/** Asks only; an empty database has run none. */
export async function migrationState(db: Db): Promise<MigrationState> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  const isThere = tables.some(({ name }) => name === 'kysely_migration')
  const rows = isThere ? (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows : []
  const ran = rows.map(({ name }) => name)
  return {
    ran,
    pending: Object.keys(migrations).filter((name) => !ran.includes(name)),
    unknown: ran.filter((name) => !(name in migrations)),
  }
}
