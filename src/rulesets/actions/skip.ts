/** Leaves out rules, rulesets or phases that would come later. */
import { checked, id, listOf, mapOf, object, oneOf, optional, type Place, text } from '../shape.ts'
import { defineAction, type RuleContext } from './action.ts'

const skippableProducts = ['bic', 'hot', 'rateLimit', 'securityLevel', 'uaBlock', 'waf', 'zoneLockdown'] as const

const unique = { min: 1, uniqueBy: (value: unknown) => value }

export type SkipParameters = {
  ruleset?: 'current'
  rulesets?: string[]
  rules?: Record<string, string[]>
  phases?: string[]
  products?: (typeof skippableProducts)[number][]
  phase?: 'current'
}

const parameters = (context: RuleContext) =>
  checked(
    object(
      {
        ruleset: optional(oneOf('current')),
        rulesets: optional(listOf(knownRuleset(context), unique)),
        rules: optional(mapOf(id, listOf(id, unique), { min: 1 })),
        phases: optional(listOf(skippablePhase(context), unique)),
        products: optional(listOf(oneOf(...skippableProducts), unique)),
        phase: optional(oneOf('current')),
      },
      {
        someOf: ['ruleset', 'rulesets', 'rules', 'phases', 'products'],
        never: [
          ['ruleset', 'rulesets'],
          ['ruleset', 'rules'],
          ['phases', 'rulesets'],
        ],
      },
    ),
    (skip: SkipParameters, place) => {
      judgeRules(context, skip.rules ?? {}, place.at('rules'))
      if (skip.phase && (!skip.products || context.scope !== 'zone'))
        place.at('phase').refuse(skip.phase, 'it is only possible at zone level, together with products')
    },
  )

const knownRuleset = (context: RuleContext) =>
  checked(id, (ruleset, place) => {
    if (!context.findRuleset(ruleset)) place.refuse(ruleset, 'there is no such ruleset')
  })

const skippablePhase = (context: RuleContext) =>
  checked(text({ min: 1 }), (phase, place) => {
    if (!context.phase.maySkip?.includes(phase))
      place.say(`skip action parameter phase '${phase}' is not authorized`, 20120)
  })

function judgeRules(context: RuleContext, rules: Record<string, string[]>, place: Place): void {
  for (const [ruleset, ruleIds] of Object.entries(rules)) {
    const known = context.findRuleset(ruleset)
    if (!known) {
      place.at(ruleset).refuse(ruleset, 'there is no such ruleset')
      continue
    }
    const ids = new Set(known.rules.map((rule) => rule.id))
    for (const [index, rule] of ruleIds.entries())
      if (!ids.has(rule)) place.at(ruleset).at(index).refuse(rule, `the ruleset ${ruleset} has no such rule`)
  }
}

export const skip = defineAction<'skip', SkipParameters>({
  name: 'skip',
  says: 'Leaves out the rest of this ruleset, other rulesets, single rules of them, or later phases; only at its own level.',
  terminating: false,
  parameters,
  examples: [{ ruleset: 'current' }],
})
