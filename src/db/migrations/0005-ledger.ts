/** The ledger forgets windows by when they ended: without an index that reads all of them. */
import type { Kysely, Migration } from 'kysely'

export const ledger: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.createIndex('windows_ended').on('windows').column('ended_at').execute()
  },
}
