/** What a trace tells: every phase, ruleset and rule that was looked at, whether it matched, and on which values. */

import { showValue, type Values } from '../expression/index.ts'
import type { CompiledRule, CompiledRuleset } from './deployment.ts'
import type { Phase } from './phases/index.ts'

export type Step = {
  readonly type: 'phase' | 'ruleset' | 'rule'
  /** The name or id by which the thing is addressed. */
  readonly step_name: string
  readonly name?: string
  readonly kind?: string
  readonly description?: string
  readonly expression?: string
  readonly action?: string
  readonly action_parameters?: Readonly<Record<string, unknown>>
  matched: boolean
  /** Values of the fields that the expression uses; a missing value is null. */
  readonly values?: Readonly<Record<string, unknown>>
  /** Why it did not act, or was not looked at. */
  note?: string
  readonly trace?: Step[]
}

export const phaseStep = (phase: Phase): Step & { trace: Step[] } => ({
  type: 'phase',
  step_name: phase.name,
  name: phase.title,
  matched: false,
  trace: [],
})

export const rulesetStep = ({ ruleset }: CompiledRuleset): Step & { trace: Step[] } => ({
  type: 'ruleset',
  step_name: ruleset.id,
  name: ruleset.name,
  kind: ruleset.kind,
  ...(ruleset.description === '' ? {} : { description: ruleset.description }),
  matched: false,
  trace: [],
})

/** The operator's rules do not show what they look for, in a trace as elsewhere. */
export const ruleStep = ({ ruleset }: CompiledRuleset, compiled: CompiledRule, values: Values): Step => {
  const { rule } = compiled
  const hidden = ruleset.kind === 'managed'
  return {
    type: 'rule',
    step_name: rule.id,
    name: rule.ref,
    ...(rule.description === '' ? {} : { description: rule.description }),
    ...(hidden ? {} : { expression: rule.expression }),
    action: rule.action,
    ...(rule.action_parameters ? { action_parameters: rule.action_parameters } : {}),
    matched: false,
    ...(hidden
      ? {}
      : {
          values: Object.fromEntries(compiled.fields.map((field) => [field.name, showValue(values.slots[field.slot])])),
        }),
  }
}
