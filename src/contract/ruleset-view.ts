/** What a ruleset looks like in an answer, with its rules and without; and the word for what is judged in the room itself. */
import { Type } from 'typebox'
import { id, nullable, oneOf, time } from './words.ts'

const kindNames = ['root', 'zone', 'custom', 'managed'] as const

export type RuleView = {
  readonly id: string
  readonly version: string
  readonly ref: string
  readonly action: string
  readonly action_parameters?: Readonly<Record<string, unknown>>
  readonly expression?: string
  readonly description: string
  readonly enabled: boolean
  readonly categories?: readonly string[]
  readonly last_updated: string
}

export type RulesetView = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly kind: (typeof kindNames)[number]
  readonly phase: string
  readonly version: string
  readonly last_updated: string
  readonly rules: readonly RuleView[]
}

const version = Type.String({ description: 'A whole number as text; each change makes the next one' })
const anyObject = (description: string) => Type.Object({}, { description, additionalProperties: true })

const rule = Type.Object({
  id,
  version,
  ref: Type.String({ description: 'Keeps the rule the same rule when the list is replaced; the id unless set' }),
  action: Type.String(),
  action_parameters: Type.Optional(anyObject('What the action needs; see the reference of actions')),
  expression: Type.Optional(Type.String({ description: 'Not shown in managed rulesets' })),
  description: Type.String(),
  enabled: Type.Boolean(),
  logging: Type.Optional(Type.Object({ enabled: Type.Boolean() })),
  ratelimit: Type.Optional(anyObject('What is counted, over which time, and what follows')),
  exposed_credential_check: Type.Optional(anyObject('Where user name and password are')),
  categories: Type.Optional(Type.Array(Type.String(), { description: 'The tags of a managed rule' })),
  score_threshold: Type.Optional(Type.Integer()),
  last_updated: time,
})

const head = {
  id,
  name: Type.String(),
  description: Type.String(),
  kind: oneOf(kindNames),
  phase: Type.String(),
  version,
  last_updated: time,
}
export const summary = Type.Unsafe<Omit<RulesetView, 'rules'>>(Type.Object(head))
export const ruleset = Type.Unsafe<RulesetView>(Type.Object({ ...head, rules: Type.Array(rule) }))
export const written = nullable(ruleset)

// Bodies are judged by the rulesets room, which tells every reason with its place; the contract only describes them.
export const said = (description: string, example?: unknown) =>
  Type.Unsafe<unknown>({ description, ...(example === undefined ? {} : { examples: [example] }) })
