/** Accounts, zones, users, members, tokens, and the audit log of what was done. */
import type { Kysely, Migration } from 'kysely'
import { numbered, numbering, required, text, whole } from '../columns.ts'

export const access: Migration = {
  async up(db: Kysely<unknown>) {
    const words = text(db)
    await db.schema
      .createTable('accounts')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('name', words, required)
      .addColumn('created_on', words, required)
      .execute()

    await db.schema
      .createTable('zones')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('account_id', words, (column) => column.notNull().references('accounts.id'))
      .addColumn('name', words, required)
      .addColumn('log_retention', whole(db), (column) => column.notNull().defaultTo(1))
      .addColumn('created_on', words, required)
      .addColumn('modified_on', words, required)
      .execute()
    // One zone of a name in an account: two accounts may each front the same domain, as they may at separate edges.
    await db.schema.createIndex('zones_name').on('zones').columns(['account_id', 'name']).unique().execute()

    await db.schema
      .createTable('users')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('email', words, (column) => column.notNull().unique())
      .addColumn('key_hash', words, required)
      .addColumn('is_super', whole(db), required)
      .addColumn('created_on', words, required)
      .execute()

    await db.schema
      .createTable('members')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('account_id', words, (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('user_id', words, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('role', words, required)
      .addColumn('created_on', words, required)
      .execute()
    await db.schema.createIndex('members_user').on('members').columns(['account_id', 'user_id']).unique().execute()
    await db.schema.createIndex('members_of_user').on('members').column('user_id').execute()

    await db.schema
      .createTable('tokens')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('account_id', words, (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('user_id', words, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', words, required)
      .addColumn('token_hash', words, (column) => column.notNull().unique())
      .addColumn('permissions', words, required)
      .addColumn('zones', words)
      .addColumn('created_on', words, required)
      .addColumn('expires_on', words)
      .execute()
    await db.schema.createIndex('tokens_account').on('tokens').column('account_id').execute()

    // No foreign keys: the log outlives what it tells of.
    await db.schema
      .createTable('audit_logs')
      .addColumn('number', numbered(db), numbering(db))
      .addColumn('id', words, (column) => column.notNull().unique())
      .addColumn('account_id', words)
      .addColumn('zone_id', words)
      .addColumn('zone_name', words)
      .addColumn('actor_id', words, required)
      .addColumn('actor_email', words, required)
      .addColumn('actor_ip', words, required)
      .addColumn('actor_type', words, required)
      .addColumn('credential_type', words, required)
      .addColumn('credential_id', words, required)
      .addColumn('credential_name', words, required)
      .addColumn('interface', words, required)
      .addColumn('action_type', words, required)
      .addColumn('resource_type', words, required)
      .addColumn('resource_id', words, required)
      .addColumn('old_value', words, required)
      .addColumn('new_value', words, required)
      .addColumn('metadata', words, required)
      .addColumn('happened_at', words, required)
      .execute()
    await db.schema.createIndex('audit_account').on('audit_logs').columns(['account_id', 'number']).execute()
    await db.schema.createIndex('audit_actor').on('audit_logs').columns(['actor_id', 'number']).execute()
  },
}
