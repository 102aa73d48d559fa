/**
 * Overrides of an executed ruleset. Each property of a rule is decided on its own: by the override of the rule, else by
 * the last listed tag that the rule carries, else by the override of the ruleset, else by the rule itself.
 */
import type { Overrides } from './actions/index.ts'
import type { Rule } from './ruleset.ts'

type Override = { readonly action?: string; readonly enabled?: boolean; readonly score_threshold?: number }

export function override(rules: readonly Rule[], overrides: Overrides | undefined): readonly Rule[] {
  if (!overrides) return rules
  const byRule = new Map(overrides.rules?.map((one) => [one.id, one]))
  return rules.map((rule) => {
    const tags = (overrides.categories ?? []).filter((one) => rule.categories?.includes(one.category)).reverse()
    const own = byRule.get(rule.id)
    return overridden(rule, [...(own ? [own] : []), ...tags, overrides])
  })
}

/** `layers` from the most telling to the least. */
function overridden(rule: Rule, layers: readonly Override[]): Rule {
  const first = <K extends keyof Override>(key: K): Override[K] | undefined =>
    layers.find((layer) => layer[key] !== undefined)?.[key]
  const action = first('action') ?? rule.action
  const threshold = first('score_threshold') ?? rule.score_threshold
  const { action_parameters: parameters, ...rest } = rule
  return {
    ...rest,
    action,
    enabled: first('enabled') ?? rule.enabled,
    // Parameters belong to the rule's own action; another action starts from its defaults.
    ...(parameters && action === rule.action ? { action_parameters: parameters } : {}),
    ...(threshold === undefined ? {} : { score_threshold: threshold }),
  }
}
