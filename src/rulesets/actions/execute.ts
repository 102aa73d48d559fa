/** Runs another ruleset of the same phase in place, with overrides. */

import type { Ruleset } from '../ruleset.ts'
import {
  checked,
  filled,
  flag,
  id,
  listOf,
  object,
  oneOf,
  optional,
  type Place,
  required,
  type Shaped,
  text,
  whole,
} from '../shape.ts'
import { defineAction, type RuleContext } from './action.ts'

const sensitivity = oneOf('default', 'medium', 'low', 'eoff')
const action = text({ like: { pattern: /^[a-z_]+$/, says: 'it is not the name of an action' } })

const overrides = object(
  {
    action: optional(action),
    enabled: optional(flag),
    sensitivity_level: optional(sensitivity),
    categories: optional(
      listOf(
        object(
          {
            category: required(text({ min: 1 })),
            action: optional(action),
            enabled: optional(flag),
            sensitivity_level: optional(sensitivity),
          },
          { someOf: ['action', 'enabled', 'sensitivity_level'] },
        ),
      ),
    ),
    rules: optional(
      listOf(
        object(
          {
            id: required(id),
            action: optional(action),
            enabled: optional(flag),
            score_threshold: optional(whole(0)),
            sensitivity_level: optional(sensitivity),
          },
          { someOf: ['action', 'enabled', 'score_threshold', 'sensitivity_level'] },
        ),
        { uniqueBy: (rule) => rule.id, max: 5000 },
      ),
    ),
  },
  { someOf: ['action', 'enabled', 'sensitivity_level', 'categories', 'rules'] },
)

export type Overrides = Shaped<typeof overrides>

const shape = object({
  id: required(id),
  version: filled(
    text({ like: { pattern: /^(latest|[1-9][0-9]*)$/, says: 'it is neither latest nor a number' } }),
    'latest',
  ),
  overrides: optional(overrides),
  matched_data: optional(object({ public_key: required(text({ min: 1, max: 1024 })) })),
})

export type ExecuteParameters = Shaped<typeof shape>

export const execute = defineAction({
  name: 'execute',
  says: 'Runs a custom or managed ruleset of the same phase, its newest version unless one is pinned, with overrides by rule, tag or ruleset.',
  terminating: false,
  parameters: (context) => checked(shape, (parameters, place) => judgeTarget(context, parameters, place)),
  examples: [{ id: '0f0e0d0c0b0a09080706050403020100' }],
})

function judgeTarget(context: RuleContext, { id, version, overrides }: ExecuteParameters, place: Place): void {
  const target = context.findRuleset(id)
  if (!target) return void place.at('id').refuse(id, 'there is no such ruleset')
  if (target.kind !== 'custom' && target.kind !== 'managed')
    return void place.at('id').refuse(id, 'only custom and managed rulesets can be executed')
  if (target.phase !== context.phase.name)
    return void place
      .at('id')
      .refuse(id, `the ruleset belongs to the phase ${target.phase}, not to ${context.phase.name}`)
  const pinned = version === 'latest' ? target : context.findRuleset(id, version)
  if (!pinned) return void place.at('version').refuse(version, 'the ruleset has no such version')
  if (overrides) judgeOverrides(context, pinned, overrides, place.at('overrides'))
}

function judgeOverrides(context: RuleContext, target: Ruleset, overrides: Overrides, place: Place): void {
  judgeOverride(context, target, overrides, place)
  const categories = new Set(target.rules.flatMap((rule) => rule.categories ?? []))
  for (const [index, override] of (overrides.categories ?? []).entries()) {
    const at = place.at('categories').at(index)
    if (!categories.has(override.category))
      at.at('category').refuse(override.category, `no rule of the ruleset ${target.id} has this category`)
    judgeOverride(context, target, override, at)
  }
  const rules = new Set(target.rules.map((rule) => rule.id))
  for (const [index, override] of (overrides.rules ?? []).entries()) {
    const at = place.at('rules').at(index)
    if (!rules.has(override.id)) at.at('id').refuse(override.id, `the ruleset ${target.id} has no such rule`)
    judgeOverride(context, target, override, at)
  }
}

type Override = { action?: string; sensitivity_level?: string }

function judgeOverride({ phase }: RuleContext, target: Ruleset, override: Override, place: Place): void {
  const allowed = phase.actions[target.kind] ?? []
  if (override.action !== undefined && !allowed.some((name) => name === override.action))
    place.at('action').refuse(override.action, `rules of this ruleset can only ${allowed.join(', ')}`)
  if (override.sensitivity_level !== undefined && !phase.name.startsWith('ddos_'))
    place
      .at('sensitivity_level')
      .refuse(override.sensitivity_level, 'only flood protection rulesets have a sensitivity')
}
