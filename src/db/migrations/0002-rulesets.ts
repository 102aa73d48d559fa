/** Rulesets and their immutable versions, which rulesets others execute, and lists that expressions name. */
import { type Kysely, type Migration, sql } from 'kysely'
import { required, text, whole } from '../columns.ts'

export const rulesets: Migration = {
  async up(db: Kysely<unknown>) {
    const words = text(db)
    const number = whole(db)
    await db.schema
      .createTable('rulesets')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('account_id', words, (column) => column.references('accounts.id').onDelete('cascade'))
      .addColumn('zone_id', words, (column) => column.references('zones.id').onDelete('cascade'))
      .addColumn('kind', words, required)
      .addColumn('phase', words, required)
      .addColumn('name', words, required)
      .addColumn('current_version', number, required)
      .addColumn('last_version', number, required)
      .addColumn('created_on', words, required)
      .execute()
    // One entry point per phase and scope, whoever asks at the same time.
    await db.schema
      .createIndex('rulesets_zone_entry_point')
      .on('rulesets')
      .columns(['zone_id', 'phase'])
      .unique()
      .where(sql.ref('kind'), '=', sql.lit('zone'))
      .execute()
    await db.schema
      .createIndex('rulesets_account_entry_point')
      .on('rulesets')
      .columns(['account_id', 'phase'])
      .unique()
      .where(sql.ref('kind'), '=', sql.lit('root'))
      .execute()
    await db.schema.createIndex('rulesets_of_account').on('rulesets').columns(['account_id', 'created_on']).execute()

    await db.schema
      .createTable('ruleset_versions')
      .addColumn('ruleset_id', words, (column) => column.notNull().references('rulesets.id').onDelete('cascade'))
      .addColumn('version', number, required)
      .addColumn('description', words, required)
      .addColumn('rules', words, required)
      .addColumn('last_updated', words, required)
      .addPrimaryKeyConstraint('ruleset_versions_key', ['ruleset_id', 'version'])
      .execute()

    // What the current version of a ruleset executes. Without a cascade on the target: it cannot be deleted meanwhile.
    await db.schema
      .createTable('ruleset_executions')
      .addColumn('executor_id', words, (column) => column.notNull().references('rulesets.id').onDelete('cascade'))
      .addColumn('executed_id', words, (column) => column.notNull().references('rulesets.id'))
      .addPrimaryKeyConstraint('ruleset_executions_key', ['executor_id', 'executed_id'])
      .execute()
    await db.schema.createIndex('ruleset_executed').on('ruleset_executions').column('executed_id').execute()

    await db.schema
      .createTable('lists')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('account_id', words, (column) => column.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', words, required)
      .addColumn('kind', words, required)
      .addColumn('description', words, required)
      .addColumn('version', number, required)
      .addColumn('created_on', words, required)
      .addColumn('modified_on', words, required)
      .execute()
    await db.schema.createIndex('lists_name').on('lists').columns(['account_id', 'name']).unique().execute()

    await db.schema
      .createTable('list_items')
      .addColumn('id', words, (column) => column.primaryKey().notNull())
      .addColumn('list_id', words, (column) => column.notNull().references('lists.id').onDelete('cascade'))
      .addColumn('value', words, required)
      .addColumn('content', words, required)
      .addColumn('comment', words, required)
      .addColumn('created_on', words, required)
      .addColumn('modified_on', words, required)
      .execute()
    await db.schema.createIndex('list_items_value').on('list_items').columns(['list_id', 'value']).unique().execute()
  },
}
