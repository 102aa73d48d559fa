/** Every migration, oldest first. Forward only: a name once released is never changed. */
import type { Migration } from 'kysely'
import { access } from './0001-access.ts'
import { rulesets } from './0002-rulesets.ts'
import { jobs } from './0003-jobs.ts'
import { edge } from './0004-edge.ts'
import { ledger } from './0005-ledger.ts'
import { manyZones } from './0006-many-zones.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-access': access,
  '0002-rulesets': rulesets,
  '0003-jobs': jobs,
  '0004-edge': edge,
  '0005-ledger': ledger,
  '0006-many-zones': manyZones,
}
