/** Rulesets in the database: found by address, read with their rules, written as one more version. */
import { type Nanos, newId, problems, type Scope, showMoment, toMoment } from '../base/index.ts'
import type { Db, RulesetsTable, RulesetVersionsTable } from '../db/index.ts'
import { executedBy } from './judge.ts'
import { findPhase } from './phases/index.ts'
import { isEntryPoint, type Kind, type Rule, type Ruleset } from './ruleset.ts'

/** A ruleset by its id, or the entry point of a phase by the phase's name. */
export type Address = { readonly id: string } | { readonly phase: string }

export type RulesetRow = RulesetsTable
type Version = Pick<RulesetVersionsTable, 'version' | 'description' | 'last_updated'>

/** The rulesets that a scope may read: its own, its account's custom ones, and the operator's. */
export const visibleIn = (db: Db, scope: Scope) =>
  db.selectFrom('rulesets').where((eb) =>
    eb.or([
      // Both, though managed rulesets alone have no account: the index has the account first.
      eb.and([eb('account_id', 'is', null), eb('kind', '=', 'managed')]),
      eb.and([eb('account_id', '=', scope.account), eb('kind', '=', 'custom')]),
      scope.kind === 'zone'
        ? eb('zone_id', '=', scope.id)
        : eb.and([eb('account_id', '=', scope.id), eb('kind', '=', 'root')]),
    ]),
  )

export const entryKind = (scope: Scope): 'root' | 'zone' => (scope.kind === 'zone' ? 'zone' : 'root')

/** The row behind an address, or undefined when there is none that the scope may read. */
export async function findRow(db: Db, scope: Scope, address: Address): Promise<RulesetRow | undefined> {
  const found = visibleIn(db, scope).selectAll()
  if ('id' in address) return found.where('id', '=', address.id).executeTakeFirst()
  if (!findPhase(address.phase)) throw problems.unknownPhase(address.phase)
  return found.where('phase', '=', address.phase).where('kind', '=', entryKind(scope)).executeTakeFirst()
}

/** Versions are whole numbers; what is too long to be one names none. */
export const versionNumber = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : -1)

export const missing = (address: Address) =>
  'id' in address ? problems.rulesetMissing(address.id) : problems.entryPointMissing(address.phase)

export async function readRuleset(
  db: Db,
  row: RulesetRow,
  version = row.current_version,
): Promise<Ruleset | undefined> {
  const found = await db
    .selectFrom('ruleset_versions')
    .selectAll()
    .where('ruleset_id', '=', row.id)
    .where('version', '=', version)
    .executeTakeFirst()
  return found && { ...summary(row, found), rules: JSON.parse(found.rules) as Rule[] }
}

/** A ruleset without its rules, as lists show it. */
export const summary = (row: RulesetRow, version: Version): Omit<Ruleset, 'rules'> => ({
  id: row.id,
  name: row.name,
  description: version.description,
  kind: row.kind as Kind,
  phase: row.phase,
  version: String(version.version),
  last_updated: showMoment(version.last_updated),
})

export type NewRuleset = { readonly kind: Kind; readonly phase: string; readonly name: string; readonly id?: string }
export type NewVersion = { readonly description: string; readonly rules: readonly Rule[]; readonly at: Nanos }

/** A new ruleset with its version 1. A second entry point for the phase is refused by the database. */
export async function insertRuleset(
  trx: Db,
  scope: Scope | null,
  ruleset: NewRuleset,
  version: NewVersion,
): Promise<Ruleset> {
  const row: RulesetRow = {
    id: ruleset.id ?? newId(),
    account_id: scope?.account ?? null,
    zone_id: scope?.kind === 'zone' ? scope.id : null,
    kind: ruleset.kind,
    phase: ruleset.phase,
    name: ruleset.name,
    current_version: 1,
    last_version: 1,
    created_on: toMoment(version.at),
  }
  await trx.insertInto('rulesets').values(row).execute()
  return insertVersion(trx, row, version)
}

/** One version more, unless someone else wrote one since the row was read; then undefined, and the caller reads again. */
export async function addVersion(trx: Db, row: RulesetRow, version: NewVersion): Promise<Ruleset | undefined> {
  const number = row.last_version + 1
  const { numUpdatedRows } = await trx
    .updateTable('rulesets')
    .set({ current_version: number, last_version: number })
    .where('id', '=', row.id)
    .where('last_version', '=', row.last_version)
    .where('current_version', '=', row.current_version)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  return insertVersion(trx, { ...row, current_version: number, last_version: number }, version)
}

/** Keeps other writers off the row until the transaction ends; false when one of them changed it since it was read. */
export async function holdRow(trx: Db, row: RulesetRow): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('rulesets')
    .set({ last_version: row.last_version })
    .where('id', '=', row.id)
    .where('last_version', '=', row.last_version)
    .where('current_version', '=', row.current_version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function insertVersion(trx: Db, row: RulesetRow, { description, rules, at }: NewVersion): Promise<Ruleset> {
  const version = { version: row.current_version, description, last_updated: toMoment(at) }
  await trx
    .insertInto('ruleset_versions')
    .values({ ruleset_id: row.id, ...version, rules: JSON.stringify(rules) })
    .execute()
  await noteExecutions(trx, row, rules)
  return { ...summary(row, version), rules }
}

/** Which rulesets the current version executes; the foreign key keeps those from being deleted. */
export async function noteExecutions(trx: Db, row: RulesetRow, rules: readonly Rule[]): Promise<void> {
  if (!isEntryPoint(row.kind as Kind)) return
  await trx.deleteFrom('ruleset_executions').where('executor_id', '=', row.id).execute()
  const targets = [...new Set(executedBy(rules))]
  if (targets.length > 0)
    await trx
      .insertInto('ruleset_executions')
      .values(targets.map((executed_id) => ({ executor_id: row.id, executed_id })))
      .execute()
}

/** The entry points that execute a ruleset, as a message names them. */
export async function executorsOf(db: Db, scope: Scope, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('ruleset_executions')
    .innerJoin('rulesets', 'rulesets.id', 'ruleset_executions.executor_id')
    .select(['rulesets.id', 'rulesets.phase', 'rulesets.zone_id', 'rulesets.account_id'])
    .where('executed_id', '=', id)
    .where('rulesets.account_id', '=', scope.account)
    .orderBy('rulesets.created_on')
    .execute()
  return rows.map(
    (row) =>
      `ruleset ${row.id} (entry point of ${row.phase} in ${row.zone_id === null ? `accounts/${row.account_id}` : `zones/${row.zone_id}`})`,
  )
}
