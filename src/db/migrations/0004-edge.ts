/** What an edge is told about requests of a zone that cannot be decided. */
import type { Kysely, Migration } from 'kysely'
import { text } from '../columns.ts'

export const edge: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('zones')
      .addColumn('edge_failure', text(db), (column) => column.notNull().defaultTo('open'))
      .execute()
  },
}
