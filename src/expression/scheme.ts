/** A scheme: the names that an expression may use in one place, and why another name may not be used there. */
import type { LanguageFunction } from './define.ts'
import { type Field, fields, type Stage } from './fields.ts'
import { functions } from './functions/index.ts'

type Name = Field | LanguageFunction

export type Scheme = {
  readonly fields: ReadonlyMap<string, Field>
  readonly functions: ReadonlyMap<string, LanguageFunction>
  /** For names that exist but not here: the sentence that says where they do. */
  readonly refused: ReadonlyMap<string, string>
}

/** Where an expression stands. What is left out restricts nothing. */
export type Place = {
  readonly phase?: string
  /** How far a request has come: in a response phase both request and response fields have values. */
  readonly stage?: Stage
  /** What the expression is for. */
  readonly use?: 'filter' | 'value' | 'characteristic'
  readonly scope?: 'account' | 'zone'
}

/** Read in network phases too, though they describe requests first. */
const alsoOfPackets = new Set(['ip.src', 'ip.src.country', 'ip.geoip.country', 'cf.colo.name', 'cf.colo.region'])

export const schemeFor = (place: Place): Scheme => {
  const refused = new Map<string, string>()
  const allowed = <N extends Name>(names: readonly N[], why: (name: N, place: Place) => string | undefined) =>
    new Map(
      names.flatMap((name) => {
        const refusal = why(name, place)
        if (refusal === undefined) return [[name.name, name] as const]
        refused.set(name.name, refusal)
        return []
      }),
    )
  return {
    fields: allowed(fields, whyNotField),
    functions: allowed(functions, whyNotFunction),
    refused,
  }
}

const whyNotField = (field: Field, { phase, stage, use, scope }: Place): string | undefined => {
  const not = (why: string): string => `the use of field ${field.name} is not allowed: ${why}`
  if (field.phases && phase !== undefined && !field.phases.includes(phase)) return not(onlyIn(field.phases))
  if (stage === 'request' && field.stage === 'response') return not('it has a value only in response phases')
  if (stage === 'network' && field.stage !== 'network' && !alsoOfPackets.has(field.name)) {
    return not('it has no value in network phases')
  }
  if ((stage === 'request' || stage === 'response') && field.stage === 'network') {
    return not('it has a value only in network phases')
  }
  if (field.only === 'characteristic' && use !== undefined && use !== 'characteristic') {
    return not('it is a rate limit characteristic only')
  }
  if (field.only === 'value' && use === 'filter') return not('it may be read only in rewrite expressions')
  if (field.scope === 'account' && scope === 'zone') return not('it may be read only in rulesets of an account')
  return undefined
}

const whyNotFunction = (called: LanguageFunction, { phase, use }: Place): string | undefined => {
  const not = (why: string): string => `the use of function ${called.name} is not allowed: ${why}`
  if (called.valueOnly && use === 'filter') return not('it exists only in rewrite and redirect expressions')
  if (called.phases && phase !== undefined && !called.phases.includes(phase)) return not(onlyIn(called.phases))
  return undefined
}

const onlyIn = (phases: readonly string[]): string => `it exists only in ${phases.join(', ')}`

/** Every field and function, wherever they belong. Last in the file: it is made when the file is read. */
export const fullScheme: Scheme = schemeFor({})
