/** What a ruleset is: an ordered list of rules for one phase, in numbered versions that never change. */

/** `root` and `zone` are the entry points of a phase; `custom` is a set the account reuses; `managed` comes from the operator. */
export const kinds = ['root', 'zone', 'custom', 'managed'] as const
export type Kind = (typeof kinds)[number]

export const isEntryPoint = (kind: Kind): kind is 'root' | 'zone' => kind === 'root' || kind === 'zone'

export type RateLimit = {
  readonly characteristics: readonly string[]
  readonly period: number
  readonly requests_per_period?: number
  readonly score_per_period?: number
  readonly score_response_header_name?: string
  readonly mitigation_timeout: number
  readonly counting_expression?: string
  readonly requests_to_origin: boolean
}

/** What a caller says about a rule. What follows from storing it (id, version, time) is not part of it. */
export type RuleDefinition = {
  readonly action: string
  readonly action_parameters?: Readonly<Record<string, unknown>>
  readonly expression: string
  readonly description: string
  readonly enabled: boolean
  readonly logging?: { readonly enabled: boolean }
  readonly ratelimit?: RateLimit
  readonly exposed_credential_check?: { readonly username_expression: string; readonly password_expression: string }
  /** The tags of a managed rule. */
  readonly categories?: readonly string[]
  readonly score_threshold?: number
}

export type Rule = RuleDefinition & {
  readonly id: string
  readonly version: string
  readonly ref: string
  readonly last_updated: string
}

export type Ruleset = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: Kind
  readonly phase: string
  readonly version: string
  readonly last_updated: string
  readonly rules: readonly Rule[]
}
