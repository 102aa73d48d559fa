/** Brings the tables to the newest form, under a lock, so that any number of processes may start at once. */
import { Migrator } from 'kysely'
import { migrations } from './migrations/index.ts'
import type { Db } from './open.ts'

/** The names of the migrations that were run now; none when the database was up to date. */
export async function migrate(db: Db): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) {
    const at = results.find((result) => result.status === 'Error')?.migrationName
    throw new Error(`migration ${at ?? 'of the metadata database'} failed: ${(error as Error).message ?? error}`, {
      cause: error,
    })
  }
  return results.map((result) => result.migrationName)
}
