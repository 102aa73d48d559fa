/**
 * How a ruleset changes: the next list of rules is computed on the version that was read and written only if that is
 * still the newest; otherwise it is computed again on top of the newer one, so that no change is lost (decision 0014).
 * Everything from the judgement to the audit entry happens in one transaction.
 */
import { type Caller, record } from '../access/index.ts'
import {
  type Clock,
  type Judged,
  newId,
  problems,
  type Reason,
  type Scope,
  showMoment,
  toMoment,
} from '../base/index.ts'
import { type Db, isReferenced } from '../db/index.ts'
import { difference } from './difference.ts'
import type { EditNeeds } from './edit.ts'
import { invalidRule, judgeList, type Where } from './judge.ts'
import { whereOf } from './lookups.ts'
import type { Rule, Ruleset } from './ruleset.ts'
import { type Address, addVersion, findRow, missing, type RulesetRow, readRuleset } from './store.ts'

export type RulesetNeeds = { readonly db: Db; readonly now: Clock }

/** What a write may be told besides its body: to store nothing, and which version it is meant for. */
export type WriteOptions = { readonly dryRun?: boolean | undefined; readonly ifMatch?: string | undefined }

export type Change = {
  /** Rules of the body, for what they name to be looked up. */
  readonly rules: readonly unknown[]
  next(old: Ruleset, where: Where, edit: EditNeeds): { description: string; rules: readonly Rule[] }
  /** Makes what is not there yet; undefined when that is not its business. */
  absent?(trx: Db): Promise<Ruleset | undefined>
}

/** Thrown when another writer was faster: the whole change is done again on what that one left. */
export class Again extends Error {}

// A writer loses a race only to one that won, so even a crowd of this many gets through in as many rounds.
const mostAttempts = 25

export async function change(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  options: WriteOptions,
  { rules, next, absent }: Change,
): Promise<Ruleset | null> {
  return inTransaction(needs, options, async (trx) => {
    const row = await findRow(trx, scope, address)
    if (!row) {
      const made = await absent?.(trx)
      if (made) return made
      throw options.ifMatch === undefined || 'id' in address ? missing(address) : problems.rulesetChanged('none')
    }
    judgeOwner(row, scope)
    judgeMatch(row, options.ifMatch)
    const old = await readRuleset(trx, row)
    if (!old) throw new Again()
    const at = needs.now()
    const where = await whereOf(trx, scope, row.phase, old.kind, [...rules, ...old.rules])
    const ruleset = await addVersion(trx, row, { ...next(old, where, editNeeds(at)), at })
    if (!ruleset) throw new Again()
    await noteChange(trx, caller, scope, old, ruleset, at)
    return ruleset
  })
}

class DryRun extends Error {}

/**
 * One transaction, begun again when another writer was faster. A dry run does everything and then takes it back, so that
 * it meets every obstacle that the real one would meet.
 */
export async function inTransaction<T>(
  { db }: RulesetNeeds,
  { dryRun }: WriteOptions,
  work: (trx: Db) => Promise<T>,
): Promise<T | null> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    try {
      return await db.transaction().execute(async (trx) => {
        const done = await work(trx)
        if (dryRun) throw new DryRun()
        return done
      })
    } catch (error) {
      if (error instanceof DryRun) return null
      // A foreign key refuses when a ruleset is executed and deleted at the same moment; who comes second sees which.
      if (!(error instanceof Again) && !isReferenced(error)) throw error
    }
  }
  throw problems.rulesetBusy()
}

/** The difference, not two whole rulesets: what went and what was on the old side, what came and what is on the new. */
export async function noteChange(
  trx: Db,
  caller: Caller,
  scope: Scope | null,
  old: Ruleset,
  now: Ruleset,
  at: bigint,
): Promise<void> {
  const { added, removed, changed, moved } = difference(old.rules, now.rules)
  const described = old.description !== now.description
  await record(trx, {
    caller,
    at,
    scope,
    action: 'update',
    resource: { type: 'ruleset', id: now.id },
    old: {
      version: old.version,
      ...(described ? { description: old.description } : {}),
      ...(removed.length > 0 ? { removed } : {}),
      ...(changed.length > 0 ? { changed: changed.map(({ id, from }) => ({ id, ...from })) } : {}),
    },
    new: {
      version: now.version,
      ...(described ? { description: now.description } : {}),
      ...(added.length > 0 ? { added } : {}),
      ...(changed.length > 0 ? { changed: changed.map(({ id, to }) => ({ id, ...to })) } : {}),
      ...(moved.length > 0 ? { moved } : {}),
    },
  })
}

/** What a scope may read it may not always write. */
export function judgeOwner(row: RulesetRow, scope: Scope): void {
  if (row.kind === 'managed') throw problems.notYourRuleset('a managed ruleset can only be changed by the operator')
  if (row.kind === 'custom' && scope.kind === 'zone')
    throw problems.notYourRuleset('a ruleset of the account can only be changed at account level')
}

/** RFC 9110: the version as an entity tag, several with commas between, or a star for any. */
export function judgeMatch(row: RulesetRow, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(`"${row.current_version}"`)) throw problems.rulesetChanged(String(row.current_version))
}

export const editNeeds = (at: bigint): EditNeeds => ({ newId, at: showMoment(toMoment(at)) })

/** An edit of a list of rules, judged as a whole. */
export function edited(where: Where, old: readonly Rule[], edit: Judged<Rule[]>): Rule[] {
  const rules = accepted(edit)
  refuseFor(judgeList(where, rules, old))
  return rules
}

/** The same for a body that is one rule: what is wrong with the list is pointed out in that rule. */
export function editedAlone(where: Where, old: readonly Rule[], edit: Judged<Rule[]>): Rule[] {
  const rules = accepted(edit)
  const reasons = judgeList(where, rules, old)
  refuseFor(reasons.map((reason) => ({ ...reason, pointer: (reason.pointer ?? '').replace(/^\/rules(\/\d+)?/, '') })))
  return rules
}

export function accepted<T>(judged: Judged<T>): T {
  if (!judged.ok) throw problems.invalid(judged.reasons.slice(0, mostReasons), invalidRule)
  return judged.value
}

// Ten thousand wrong rules with their expressions would make an answer of forty megabytes.
const mostReasons = 100

export const refuseFor = (reasons: readonly Reason[]): void => {
  if (reasons.length > 0) throw problems.invalid(reasons.slice(0, mostReasons), invalidRule)
}
