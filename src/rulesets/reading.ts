/** Reading rulesets: lists, versions, and the rules that carry a tag. */
import { isId, problems, type Scope } from '../base/index.ts'
import { type Db, prepared } from '../db/index.ts'
import type { RulesetNeeds } from './change.ts'
import type { Rule, Ruleset } from './ruleset.ts'
import {
  type Address,
  findRow,
  missing,
  type RulesetRow,
  readRuleset,
  summary,
  versionNumber,
  visibleIn,
} from './store.ts'

export type RulesetSummary = Omit<Ruleset, 'rules'>

export type ListQuery = { readonly cursor?: string; readonly perPage?: number }

/** Rulesets of a scope without their rules, oldest first; all of them unless a page size is asked for. */
export async function list({ db }: RulesetNeeds, scope: Scope, { cursor, perPage }: ListQuery) {
  if (cursor === undefined && perPage === undefined) {
    const rows = await everyIn[scope.kind](db, scope.account, scope.id)
    return { items: rows.map((row) => summary(row, row)) }
  }
  let found = inOrder(db, scope)
  if (cursor !== undefined) {
    const { created_on, id } = readCursor(cursor)
    found = found.where((eb) =>
      eb.or([
        eb('rulesets.created_on', '>', created_on),
        eb.and([eb('rulesets.created_on', '=', created_on), eb('rulesets.id', '>', id)]),
      ]),
    )
  }
  if (perPage === undefined) return { items: (await found.execute()).map((row) => summary(row, row)) }
  const rows = await found.limit(perPage + 1).execute()
  const page = rows.slice(0, perPage)
  const last = rows.length > perPage ? page.at(-1) : undefined
  return { items: page.map((row) => summary(row, row)), perPage, cursor: last && writeCursor(last) }
}

const inOrder = (db: Db, scope: Scope) =>
  visibleIn(db, scope)
    .innerJoin('ruleset_versions', (join) =>
      join
        .onRef('ruleset_versions.ruleset_id', '=', 'rulesets.id')
        .onRef('ruleset_versions.version', '=', 'rulesets.current_version'),
    )
    .selectAll('rulesets')
    .select(['ruleset_versions.version', 'ruleset_versions.description', 'ruleset_versions.last_updated'])
    .orderBy('rulesets.created_on')
    .orderBy('rulesets.id')

const everyIn = {
  zone: prepared((db, account: string, id: string) => inOrder(db, { kind: 'zone', id, account })),
  account: prepared((db, account: string, id: string) => inOrder(db, { kind: 'account', id, account })),
}

const writeCursor = ({ created_on, id }: Pick<RulesetRow, 'created_on' | 'id'>): string =>
  Buffer.from(`${created_on} ${id}`).toString('base64url')

function readCursor(cursor: string): Pick<RulesetRow, 'created_on' | 'id'> {
  const [created_on = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (!isId(id) || !/^[0-9TZ:.-]+$/.test(created_on))
    throw problems.invalid([{ message: 'the cursor is not one of ours', pointer: '/cursor' }])
  return { created_on, id }
}

export async function view({ db }: RulesetNeeds, scope: Scope, address: Address): Promise<Ruleset> {
  const row = await findRow(db, scope, address)
  const ruleset = row && (await readRuleset(db, row))
  if (!ruleset) throw missing(address)
  return shown(ruleset)
}

/** Managed rules do not show what they look for. */
function shown(ruleset: Ruleset): Ruleset {
  if (ruleset.kind !== 'managed') return ruleset
  return { ...ruleset, rules: ruleset.rules.map(({ expression: _, ...rule }) => rule as Rule) }
}

/** All versions without their rules, oldest first. A phase without an entry point has none, which is no mistake. */
export async function versions({ db }: RulesetNeeds, scope: Scope, address: Address): Promise<RulesetSummary[]> {
  const row = await findRow(db, scope, address)
  if (!row && 'phase' in address) return []
  if (!row) throw missing(address)
  let found = db
    .selectFrom('ruleset_versions')
    .select(['version', 'description', 'last_updated'])
    .where('ruleset_id', '=', row.id)
    .orderBy('version')
  if (row.kind === 'managed') found = found.where('version', '=', row.current_version)
  return (await found.execute()).map((version) => summary(row, version))
}

export async function version({ db }: RulesetNeeds, scope: Scope, address: Address, number: string): Promise<Ruleset> {
  const row = await findRow(db, scope, address)
  if (!row) throw missing(address)
  // Of a managed ruleset only the newest version can be read.
  const isReadable = row.kind !== 'managed' || number === String(row.current_version)
  const ruleset = isReadable ? await readRuleset(db, row, versionNumber(number)) : undefined
  if (!ruleset) throw problems.versionMissing(number)
  return shown(ruleset)
}

/** The rules of a version that carry a tag. */
export async function byTag(
  needs: RulesetNeeds,
  scope: Scope,
  address: Address,
  number: string,
  tag: string,
): Promise<Ruleset> {
  const ruleset = await version(needs, scope, address, number)
  return { ...ruleset, rules: ruleset.rules.filter((rule) => rule.categories?.includes(tag)) }
}
