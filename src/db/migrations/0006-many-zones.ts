/**
 * Where there are thousands of zones, what is asked for one of them must not read the rulesets of all: an edge asks every
 * second which are in force. Zones are looked for by name, over all accounts.
 */
import type { Kysely, Migration } from 'kysely'

export const manyZones: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.createIndex('rulesets_of_zone').on('rulesets').column('zone_id').execute()
    await db.schema.createIndex('rulesets_by_kind').on('rulesets').columns(['account_id', 'kind']).execute()
    await db.schema.createIndex('zones_by_name').on('zones').column('name').execute()
    await db.schema.createIndex('jobs_of_zone').on('jobs').column('zone_id').execute()
  },
}
