/** Export jobs, the windows they export, what was delivered, and which scopes had records. */
import type { Kysely, Migration } from 'kysely'
import { numbered, numbering, required, text, whole } from '../columns.ts'

export const jobs: Migration = {
  async up(db: Kysely<unknown>) {
    const words = text(db)
    const number = whole(db)
    await db.schema
      .createTable('jobs')
      .addColumn('id', numbered(db), numbering(db))
      .addColumn('account_id', words, (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('zone_id', words, (column) => column.references('zones.id').onDelete('cascade'))
      .addColumn('scope_id', words, required)
      .addColumn('dataset', words, required)
      .addColumn('name', words, required)
      .addColumn('kind', words, required)
      .addColumn('enabled', number, required)
      .addColumn('conf_sealed', words, required)
      .addColumn('destination_kind', words, required)
      .addColumn('destination_identity', words, required)
      .addColumn('signing_sealed', words)
      .addColumn('logfetch_options', words)
      .addColumn('output_options', words)
      .addColumn('filter', words, required)
      .addColumn('frequency', words)
      .addColumn('max_upload_bytes', number)
      .addColumn('max_upload_records', number)
      .addColumn('max_upload_interval_seconds', number)
      .addColumn('options_version', number, required)
      .addColumn('last_complete', words)
      .addColumn('last_error', words)
      .addColumn('error_message', words)
      .addColumn('created_on', words, required)
      .addColumn('modified_on', words, required)
      // The exporter's side: from where on the job still owes records, when its turn is (null: asleep), who holds it.
      .addColumn('owed_from', words)
      .addColumn('next_turn', words)
      .addColumn('lease_holder', words)
      .addColumn('lease_until', words)
      .addColumn('lease_number', number, required)
      .addColumn('failures', number, required)
      .addColumn('failing_since', words)
      .execute()
    // At most one job writes to a destination, over the whole service.
    await db.schema.createIndex('jobs_destination').on('jobs').column('destination_identity').unique().execute()
    await db.schema.createIndex('jobs_scope').on('jobs').columns(['scope_id', 'dataset']).execute()
    await db.schema.createIndex('jobs_turn').on('jobs').column('next_turn').execute()

    await db.schema
      .createTable('windows')
      .addColumn('id', numbered(db), numbering(db))
      .addColumn('job_id', numbered(db), (column) => column.notNull().references('jobs.id').onDelete('cascade'))
      .addColumn('purpose', words, required)
      .addColumn('state', words, required)
      .addColumn('from_time', words, required)
      .addColumn('to_time', words, required)
      .addColumn('options', words, required)
      .addColumn('options_version', number, required)
      .addColumn('rows', number)
      .addColumn('attempts', number, required)
      .addColumn('reason', words)
      .addColumn('begun_at', words, required)
      .addColumn('ended_at', words)
      .execute()
    await db.schema.createIndex('windows_job').on('windows').columns(['job_id', 'from_time']).execute()
    await db.schema.createIndex('windows_open').on('windows').columns(['state', 'job_id']).execute()

    await db.schema
      .createTable('deliveries')
      .addColumn('id', numbered(db), numbering(db))
      .addColumn('job_id', numbered(db), (column) => column.notNull().references('jobs.id').onDelete('cascade'))
      .addColumn('window_id', numbered(db), (column) => column.notNull().references('windows.id').onDelete('cascade'))
      .addColumn('part', number, required)
      .addColumn('object_name', words, required)
      .addColumn('rows', number, required)
      .addColumn('raw_bytes', number, required)
      .addColumn('bytes', number, required)
      .addColumn('sha256', words, required)
      .addColumn('attempts', number, required)
      .addColumn('last_status', number)
      .addColumn('outcome', words, required)
      .addColumn('reason', words)
      .addColumn('first_attempt', words)
      .addColumn('last_attempt', words)
      .execute()
    await db.schema.createIndex('deliveries_window').on('deliveries').columns(['window_id', 'part']).unique().execute()
    await db.schema.createIndex('deliveries_job').on('deliveries').columns(['job_id', 'id']).execute()

    await db.schema
      .createTable('activity')
      .addColumn('scope_id', words, required)
      .addColumn('dataset', words, required)
      .addColumn('newest', words, required)
      .addPrimaryKeyConstraint('activity_key', ['scope_id', 'dataset'])
      .execute()

    // Until when each ingest process promises not to stamp a record before its floor.
    await db.schema
      .createTable('floors')
      .addColumn('node', words, (column) => column.primaryKey().notNull())
      .addColumn('floor', words, required)
      .addColumn('until', words, required)
      .execute()

    // Small facts of the whole service, such as up to where activity was noted.
    await db.schema
      .createTable('service_facts')
      .addColumn('name', words, (column) => column.primaryKey().notNull())
      .addColumn('value', words, required)
      .execute()
  },
}
