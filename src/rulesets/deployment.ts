/** What is deployed for one zone, made ready to run: rules compiled, overrides applied, only the fields in use read. */
import type { Field, Lists, Predicate, Valuer } from '../expression/index.ts'
import { type Action, type ExecuteParameters, findAction, type Redirect, type SkipParameters } from './actions/index.ts'
import { type FieldTable, tableOf } from './fields.ts'
import { compileMatch, compileValue, usesResponse } from './language.ts'
import { override } from './overrides.ts'
import { type Phase, phases } from './phases/index.ts'
import type { Rule, Ruleset } from './ruleset.ts'

export type Level = 'account' | 'zone'

/** Entry points of an account and of one of its zones, and what they may execute. */
export type Deployed = {
  readonly account: readonly Ruleset[]
  readonly zone: readonly Ruleset[]
  find(id: string, version: string): Ruleset | undefined
  readonly lists: Lists
  redirectFrom(list: string, address: string): Redirect | undefined
}

type CompiledRate = {
  readonly characteristics: readonly Valuer[]
  readonly counts: Predicate
  /** Whether counting needs the answer of the origin. */
  readonly needsResponse: boolean
}

export type CompiledRule = {
  readonly rule: Rule
  readonly action: Action
  readonly matches: Predicate
  /** The fields that its expression uses. */
  readonly fields: readonly Field[]
  /** The value expressions of its parameters, by their text. */
  readonly values: ReadonlyMap<string, Valuer>
  readonly rate?: CompiledRate
  readonly executes?: CompiledRuleset
  readonly skips?: SkipParameters
}

export type CompiledRuleset = { readonly ruleset: Ruleset; readonly rules: readonly CompiledRule[] }

export type CompiledPhase = {
  readonly phase: Phase
  readonly entries: readonly { readonly level: Level; readonly ruleset: CompiledRuleset }[]
  readonly table: FieldTable
}

export type Deployment = Pick<Deployed, 'lists' | 'redirectFrom'> & { readonly phases: readonly CompiledPhase[] }

export function deploy(deployed: Deployed): Deployment {
  const compiled = phases.flatMap((phase): CompiledPhase[] => {
    const used = new Set<string>()
    const compile = (ruleset: Ruleset) => compileRuleset(deployed, ruleset, used)
    const entries = (['account', 'zone'] as const).flatMap((level) =>
      deployed[level]
        .filter((ruleset) => ruleset.phase === phase.name)
        .map((ruleset) => ({ level, ruleset: compile(ruleset) })),
    )
    return entries.length === 0 ? [] : [{ phase, entries, table: tableOf(used) }]
  })
  return { phases: compiled, lists: deployed.lists, redirectFrom: deployed.redirectFrom }
}

/** Disabled rules are left out here, once, and never looked at again. */
function compileRuleset(deployed: Deployed, ruleset: Ruleset, used: Set<string>): CompiledRuleset {
  const enabled = ruleset.rules.filter((rule) => rule.enabled)
  return { ruleset, rules: enabled.map((rule) => compileRule(deployed, ruleset, rule, used)) }
}

function compileRule(deployed: Deployed, ruleset: Ruleset, rule: Rule, used: Set<string>): CompiledRule {
  const action = findAction(rule.action)
  if (!action) throw new Error(`rule ${rule.id} of ruleset ${ruleset.id} has the unknown action ${rule.action}`)
  const match = compileMatch(rule.expression)
  const texts = action.expressions?.(rule.action_parameters ?? {}) ?? []
  const values = new Map(texts.map((text) => [text, compileValue(text)]))
  const rate = rule.ratelimit && compileRate(rule)
  for (const { fields } of [match, ...values.values(), ...(rate?.all ?? [])])
    for (const field of fields) used.add(field.name)
  return {
    rule,
    action,
    matches: match.run,
    fields: match.fields,
    values: new Map([...values].map(([text, value]) => [text, value.run])),
    ...(rate ? { rate: rate.compiled } : {}),
    ...(rule.action === 'execute' ? executed(deployed, rule, used) : {}),
    ...(rule.action === 'skip' ? { skips: (rule.action_parameters ?? {}) as SkipParameters } : {}),
  }
}

function compileRate({ ratelimit, expression }: Rule) {
  const characteristics = (ratelimit?.characteristics ?? []).map((text) => compileValue(text))
  const counting = ratelimit?.counting_expression ?? expression
  const counts = compileMatch(counting)
  const compiled: CompiledRate = {
    characteristics: characteristics.map((value) => value.run),
    counts: counts.run,
    needsResponse: usesResponse(counting) || ratelimit?.score_response_header_name !== undefined,
  }
  return { compiled, all: [...characteristics, counts] }
}

/** A target that is gone executes nothing; its deletion is refused while a rule names it, so that is rare. */
function executed(deployed: Deployed, rule: Rule, used: Set<string>): { executes?: CompiledRuleset } {
  const { id, version, overrides } = rule.action_parameters as unknown as ExecuteParameters
  const target = deployed.find(id, version ?? 'latest')
  if (!target) return {}
  return { executes: compileRuleset(deployed, { ...target, rules: override(target.rules, overrides) }, used) }
}
