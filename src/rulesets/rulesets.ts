/** The commands that change rulesets. The phase form and the id form are one command with two addresses. */
import { type Caller, record } from '../access/index.ts'
import { problems, type Scope } from '../base/index.ts'
import { type Db, isTaken } from '../db/index.ts'
import {
  Again,
  accepted,
  change,
  edited,
  editedAlone,
  editNeeds,
  inTransaction,
  judgeMatch,
  judgeOwner,
  type RulesetNeeds,
  refuseFor,
  type WriteOptions,
} from './change.ts'
import { addRule as added, completed, patchRule as patched, replaceRules, deleteRule as without } from './edit.ts'
import { bodies, invalidRule, judgeKind, judgeRuleBody, judgeRules, judgeUnchanged } from './judge.ts'
import { whereOf } from './lookups.ts'
import { findPhase } from './phases/index.ts'
import type { Kind, Rule, Ruleset } from './ruleset.ts'
import { judgeShape } from './shape.ts'
import {
  type Address,
  entryKind,
  executorsOf,
  findRow,
  holdRow,
  insertRuleset,
  missing,
  noteExecutions,
  type RulesetRow,
  readRuleset,
  versionNumber,
} from './store.ts'

export async function create(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  body: unknown,
  options: WriteOptions = {},
): Promise<Ruleset | null> {
  const { name, kind, phase: phaseName, description = '', rules = [] } = accepted(judgeShape(bodies.create, body))
  judgeKindAt(scope, kind, phaseName)
  return inTransaction(needs, options, async (trx) => {
    if (kind !== 'custom' && (await findRow(trx, scope, { phase: phaseName })))
      throw problems.entryPointTaken(kind, phaseName)
    try {
      return await make(needs, trx, caller, scope, { kind, phase: phaseName, name, description, rules })
    } catch (error) {
      throw isTaken(error) ? problems.entryPointTaken(kind, phaseName) : error
    }
  })
}

function judgeKindAt(scope: Scope, kind: Kind, phaseName: string): void {
  const phase = findPhase(phaseName)
  if (!phase) throw problems.unknownPhase(phaseName)
  refuseFor(judgeKind({ phase, kind, scope: scope.kind }))
}

type Making = { kind: Kind; phase: string; name: string; description: string; rules: readonly unknown[] }

async function make({ now }: RulesetNeeds, trx: Db, caller: Caller, scope: Scope, making: Making): Promise<Ruleset> {
  const at = now()
  const where = await whereOf(trx, scope, making.phase, making.kind, making.rules)
  const drafts = accepted(judgeRules(where, making.rules))
  const rules = edited(where, [], replaceRules(editNeeds(at), [], drafts))
  const ruleset = await insertRuleset(trx, scope, making, { description: making.description, rules, at })
  await record(trx, {
    caller,
    at,
    scope,
    action: 'create',
    resource: { type: 'ruleset', id: ruleset.id },
    new: { name: ruleset.name, kind: ruleset.kind, phase: ruleset.phase, version: ruleset.version, added: rules },
  })
  return ruleset
}

/** Replaces description and rules; through a phase it also makes the entry point when there is none. */
export async function put(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  body: unknown,
  options: WriteOptions = {},
): Promise<Ruleset | null> {
  const shape = 'id' in address ? bodies.update : bodies.entryPoint
  const { name = 'default', description, rules } = accepted(judgeShape(shape, body))
  return change(needs, caller, scope, address, options, {
    rules: rules ?? [],
    async absent(trx) {
      if ('id' in address || options.ifMatch !== undefined) return undefined
      const kind = entryKind(scope)
      judgeKindAt(scope, kind, address.phase)
      try {
        const making = { kind, phase: address.phase, name, description: description ?? '', rules: rules ?? [] }
        return await make(needs, trx, caller, scope, making)
      } catch (error) {
        // Two first deployments of one phase: the slower one finds the entry point that the other made.
        throw isTaken(error) ? new Again() : error
      }
    },
    next(old, where, edit) {
      if ('id' in address) refuseFor(judgeUnchanged(body as Record<string, unknown>, old))
      if (rules === undefined) return { description: description ?? old.description, rules: old.rules }
      const drafts = accepted(judgeRules(where, rules))
      return {
        description: description ?? old.description,
        rules: edited(where, old.rules, replaceRules(edit, old.rules, drafts)),
      }
    },
  })
}

export function addRule(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  body: unknown,
  options: WriteOptions = {},
): Promise<Ruleset | null> {
  return change(needs, caller, scope, address, options, {
    rules: [body],
    next(old, where, edit) {
      const { draft, position } = accepted(judgeRuleBody(where, body))
      if (!draft.definition || draft.id !== undefined)
        throw problems.invalid([{ message: 'a new rule needs a definition and has no id yet' }], invalidRule)
      const rules = editedAlone(where, old.rules, added(edit, old.rules, draft, position))
      return { description: old.description, rules }
    },
  })
}

/**
 * A body with both action and expression is a whole definition and replaces the old one; one that lacks either changes
 * only what it names; a position alone only moves the rule.
 */
export function patchRule(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  ruleId: string,
  body: unknown,
  options: WriteOptions = {},
): Promise<Ruleset | null> {
  return change(needs, caller, scope, address, options, {
    rules: [body],
    next(old, where, edit) {
      const rule = old.rules.find(({ id }) => id === ruleId)
      if (!rule) throw problems.ruleMissing(ruleId)
      const { draft, position } = accepted(judgeRuleBody(where, completed(body, rule)))
      if (draft.id !== undefined && draft.id !== ruleId)
        throw problems.invalid([{ message: 'the id is not that of the rule in the path', pointer: '/id' }], invalidRule)
      const next = patched(edit, old.rules, ruleId, draft, position)
      if (!next) throw problems.ruleMissing(ruleId)
      return { description: old.description, rules: editedAlone(where, old.rules, next) }
    },
  })
}

export function deleteRule(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  ruleId: string,
  options: WriteOptions = {},
): Promise<Ruleset | null> {
  return change(needs, caller, scope, address, options, {
    rules: [],
    next(old) {
      const rules = without(old.rules, ruleId)
      if (!rules) throw problems.ruleMissing(ruleId)
      return { description: old.description, rules }
    },
  })
}

/** A ruleset with all its versions, unless an entry point executes it. */
export async function remove(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  options: WriteOptions = {},
): Promise<void> {
  await inTransaction(needs, options, async (trx) => {
    const row = await ownRow(trx, scope, address)
    judgeMatch(row, options.ifMatch)
    const executors = await executorsOf(trx, scope, row.id)
    if (executors.length > 0) throw problems.rulesetInUse(`ruleset ${row.id}`, executors)
    const old = await readRuleset(trx, row)
    await trx.deleteFrom('rulesets').where('id', '=', row.id).execute()
    await record(trx, {
      caller,
      at: needs.now(),
      scope,
      action: 'delete',
      resource: { type: 'ruleset', id: row.id },
      old: { name: row.name, kind: row.kind, phase: row.phase, version: old?.version, removed: old?.rules },
    })
  })
}

/** One version. Without its newest version a ruleset goes back to the one before (decision 0013). */
export async function removeVersion(
  needs: RulesetNeeds,
  caller: Caller,
  scope: Scope,
  address: Address,
  number: string,
  options: WriteOptions = {},
): Promise<void> {
  await inTransaction(needs, options, async (trx) => {
    const row = await ownRow(trx, scope, address)
    const version = versionNumber(number)
    if (!(await holdRow(trx, row))) throw new Again()
    const { numDeletedRows } = await trx
      .deleteFrom('ruleset_versions')
      .where('ruleset_id', '=', row.id)
      .where('version', '=', version)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw problems.versionMissing(number)
    if (version === row.current_version) await stepBack(trx, scope, row)
    await record(trx, {
      caller,
      at: needs.now(),
      scope,
      action: 'delete',
      resource: { type: 'ruleset_version', id: `${row.id}/${version}` },
      old: { version: number },
    })
  })
}

async function stepBack(trx: Db, scope: Scope, row: RulesetRow): Promise<void> {
  const executors = await executorsOf(trx, scope, row.id)
  if (executors.length > 0) throw problems.rulesetInUse(`the newest version of ruleset ${row.id}`, executors)
  const left = await trx
    .selectFrom('ruleset_versions')
    .selectAll()
    .where('ruleset_id', '=', row.id)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!left) throw problems.onlyVersion()
  await trx.updateTable('rulesets').set({ current_version: left.version }).where('id', '=', row.id).execute()
  await noteExecutions(trx, row, JSON.parse(left.rules) as Rule[])
}

async function ownRow(trx: Db, scope: Scope, address: Address): Promise<RulesetRow> {
  const row = await findRow(trx, scope, address)
  if (!row) throw missing(address)
  judgeOwner(row, scope)
  return row
}
