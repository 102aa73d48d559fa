/**
 * The ledger forgets windows by when they ended: without an index that reads all of them. A delivery says where it went,
 * because a job's destination may change and an audit looks for objects only where they were put.
 */
import type { Kysely, Migration } from 'kysely'

export const ledger: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.createIndex('windows_ended').on('windows').column('ended_at').execute()
    await db.schema.alterTable('deliveries').addColumn('destination', 'text').execute()
  },
}
