/** Fetches beforehand what rules may name, so that judging itself needs no database. */
import type { Scope } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import type { Where } from './judge.ts'
import { findPhase } from './phases/index.ts'
import type { Kind, Ruleset } from './ruleset.ts'
import { isObject } from './shape.ts'
import { readRuleset, visibleIn } from './store.ts'

/** Where rules stand, with the rulesets that they mention and the lists of the account. */
export async function whereOf(
  db: Db,
  scope: Scope,
  phase: string,
  kind: Kind,
  rules: readonly unknown[],
): Promise<Where> {
  const found = findPhase(phase)
  if (!found) throw new Error(`a ruleset of the unknown phase ${phase} is stored`)
  const rulesets = await mentionedRulesets(db, scope, rules)
  const lists = await db.selectFrom('lists').select(['name', 'kind']).where('account_id', '=', scope.account).execute()
  const kinds = new Map(lists.map((list) => [list.name, list.kind]))
  return {
    phase: found,
    kind,
    scope: scope.kind,
    lists: (name) => kinds.get(name),
    findRuleset: (id, version) => rulesets.get(version === undefined ? id : `${id}/${version}`),
  }
}

const mostMentioned = 1000

async function mentionedRulesets(db: Db, scope: Scope, rules: readonly unknown[]): Promise<Map<string, Ruleset>> {
  const mentions = rules.flatMap(mentionedBy)
  const ids = [...new Set(mentions.map(({ id }) => id))].slice(0, mostMentioned)
  const known = new Map<string, Ruleset>()
  if (ids.length === 0) return known
  const rows = await visibleIn(db, scope).selectAll().where('id', 'in', ids).execute()
  for (const row of rows) {
    const ruleset = await readRuleset(db, row)
    if (ruleset) known.set(row.id, ruleset).set(`${row.id}/${ruleset.version}`, ruleset)
    const pinned = new Set(mentions.filter(({ id }) => id === row.id).map(({ version }) => Number(version)))
    for (const version of pinned) {
      const old = Number.isSafeInteger(version) ? await readRuleset(db, row, version) : undefined
      if (old) known.set(`${row.id}/${version}`, old)
    }
  }
  return known
}

type Mention = { readonly id: string; readonly version?: unknown }

/** Rulesets that a rule names, whatever else may be wrong with it. */
function mentionedBy(rule: unknown): Mention[] {
  const parameters = isObject(rule) ? rule.action_parameters : undefined
  if (!isObject(parameters)) return []
  const { id, version, rulesets, rules } = parameters
  const skipped = Array.isArray(rulesets) ? rulesets : []
  const ids = [...skipped, ...(isObject(rules) ? Object.keys(rules) : [])].map((other): Mention => ({ id: other }))
  return [{ id: id as string, version }, ...ids].filter((mention) => typeof mention.id === 'string')
}
