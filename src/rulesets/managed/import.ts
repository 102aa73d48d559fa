/** Managed rulesets: brought in by the operator, in versions, for every account to execute. */

import { isDeepStrictEqual } from 'node:util'
import { type Caller, record } from '../../access/index.ts'
import { newId, problems } from '../../base/index.ts'
import { type Db, isTaken } from '../../db/index.ts'
import {
  Again,
  accepted,
  edited,
  editNeeds,
  inTransaction,
  noteChange,
  type RulesetNeeds,
  type WriteOptions,
} from '../change.ts'
import { type RuleDraft, replaceRules } from '../edit.ts'
import { invalidRule, judgeRules, mostManagedRules, type Where } from '../judge.ts'
import { findPhase, phases } from '../phases/index.ts'
import type { Rule, Ruleset } from '../ruleset.ts'
import { id, judgeShape, listOf, object, optional, required, type Shape, text } from '../shape.ts'
import { addVersion, insertRuleset, type RulesetRow, readRuleset } from '../store.ts'
import { commonProtection } from './common/index.ts'

const managedPhase: Shape<string> = (value, place) =>
  typeof value === 'string' && findPhase(value)?.actions.managed
    ? value
    : place.refuse(
        value,
        `managed rulesets exist in ${phases.flatMap(({ name, actions }) => ('managed' in actions ? [name] : [])).join(', ')}`,
      )

const anything: Shape<unknown> = (value) => value ?? null

/** The file: the same id or the same name in the same phase is a new version of what is there. */
const document = object({
  id: optional(id),
  name: required(text({ min: 1, max: 256 })),
  description: optional(text({ max: 1024 })),
  phase: required(managedPhase),
  rules: required(listOf(anything, { min: 1, max: mostManagedRules })),
})

/** Stores a managed ruleset, or its next version when its rules differ. */
export async function importManaged(
  needs: RulesetNeeds,
  caller: Caller,
  body: unknown,
  options: WriteOptions = {},
): Promise<Ruleset | null> {
  const { description = '', ...file } = accepted(judgeShape(document, body))
  const where = managedWhere(file.phase)
  const drafts = accepted(judgeRules(where, file.rules))
  if (drafts.some((draft) => draft.ref === undefined))
    throw problems.invalid(
      [{ message: 'every managed rule needs a ref, by which later versions know it' }],
      invalidRule,
    )
  const chosen = drafts.flatMap((draft) => draft.id ?? [])
  if (new Set(chosen).size < chosen.length)
    throw problems.invalid([{ message: 'two rules have the same id', pointer: '/rules' }], invalidRule)
  return inTransaction(needs, options, async (trx) => {
    const at = needs.now()
    const row = await findManaged(trx, file)
    const old = row && (await readRuleset(trx, row))
    const rules = edited(where, old?.rules ?? [], replaceManaged(old?.rules ?? [], drafts, at))
    if (!row || !old) {
      const made = await insertRuleset(trx, null, { ...file, kind: 'managed' }, { description, rules, at }).catch(
        (error: unknown) => {
          // Processes that start together bring the same file: the one that comes second finds it stored.
          throw isTaken(error) ? new Again() : error
        },
      )
      await record(trx, {
        caller,
        at,
        scope: null,
        action: 'create',
        resource: { type: 'ruleset', id: made.id },
        new: { name: made.name, kind: made.kind, phase: made.phase, version: made.version, rules: rules.length },
      })
      return made
    }
    if (old.description === description && isDeepStrictEqual(old.rules, rules)) return old
    const next = await addVersion(trx, row, { description, rules, at })
    if (!next) throw new Again()
    await noteChange(trx, caller, null, old, next, at)
    return next
  })
}

/** Brings the starter set to the version that this release ships; at most starts it is there already. */
export async function provideCommonProtection(needs: RulesetNeeds, caller: Caller): Promise<void> {
  const row = await findManaged(needs.db, commonProtection)
  const stored = row && (await readRuleset(needs.db, row))
  if (stored && isAsShipped(stored)) return
  await importManaged(needs, caller, commonProtection)
}

/** Told without judging the rules, which compiles every expression: it is done before each start of the service. */
function isAsShipped({ description, rules }: Ruleset): boolean {
  const written = rules.map(({ version: _version, last_updated: _at, ...rule }) => rule)
  return description === commonProtection.description && isDeepStrictEqual(written, commonProtection.rules)
}

async function findManaged(trx: Db, { id, name, phase }: { id?: string; name: string; phase: string }) {
  const managed = trx.selectFrom('rulesets').selectAll().where('account_id', 'is', null).where('kind', '=', 'managed')
  const found: RulesetRow | undefined =
    id === undefined
      ? await managed.where('name', '=', name).where('phase', '=', phase).executeTakeFirst()
      : await managed.where('id', '=', id).executeTakeFirst()
  if (!found && id !== undefined && (await isUsed(trx, id)))
    throw problems.invalid([{ message: 'the id is that of another ruleset', pointer: '/id' }], invalidRule)
  if (found && found.phase !== phase)
    throw problems.invalid(
      [{ message: `the ruleset is one of the phase ${found.phase}`, pointer: '/phase' }],
      invalidRule,
    )
  return found
}

const isUsed = async (trx: Db, id: string): Promise<boolean> =>
  (await trx.selectFrom('rulesets').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** The file may choose the ids of new rules, so that they are the same in every installation. */
function replaceManaged(old: readonly Rule[], drafts: readonly RuleDraft[], at: bigint) {
  const known = new Set(old.map((rule) => rule.id))
  const chosen = new Map(drafts.map(({ ref, id }) => [ref, id]))
  const plain = drafts.map(({ id, ...draft }) => (id !== undefined && known.has(id) ? { id, ...draft } : draft))
  return replaceRules({ ...editNeeds(at), newId: ({ ref }) => chosen.get(ref) ?? newId() }, old, plain)
}

function managedWhere(phaseName: string): Where {
  const phase = findPhase(phaseName)
  if (!phase) throw problems.unknownPhase(phaseName)
  // Accounts differ in their lists, so a managed rule can name none; nor does it execute others.
  return { phase, kind: 'managed', scope: 'account', lists: () => undefined, findRuleset: () => undefined }
}
