/** What an action is: its name, the parameters it takes, and what it does to a request that its rule matches. */
import type { ScopeKind } from '../../base/index.ts'
import type { Answer, Passage } from '../passage.ts'
import type { Phase } from '../phases/index.ts'
import type { Kind, Ruleset } from '../ruleset.ts'
import type { Shape } from '../shape.ts'

/** What the parameters of a rule are judged against: where the rule stands and what it may name. */
export type RuleContext = {
  readonly phase: Phase
  readonly kind: Kind
  readonly scope: ScopeKind
  /** An expression of the rules language that gives a string (to rewrite with) or true and false. */
  expression(gives: 'string' | 'boolean'): Shape<string>
  /** A ruleset that rules may name, in its newest version or the one asked for. */
  findRuleset(id: string, version?: string): Ruleset | undefined
}

/** The moment a rule matched: what its action may look at and change. */
export type Turn = {
  readonly phase: Phase
  readonly passage: Passage
  /** The status of the origin's answer, in response phases. */
  readonly responseStatus: number | undefined
  /** What a value expression gives for this request; undefined when it rests on something missing. */
  value(expression: string): string | undefined
  /** The target of an address in a redirect list of the account. */
  redirectFrom(list: string, address: string): Redirect | undefined
  addScore(points: number): void
}

export type Redirect = {
  readonly target_url: string
  readonly status_code?: number | undefined
  readonly preserve_query_string?: boolean | undefined
}

export type Action<Name extends string = string, Parameters = unknown> = {
  readonly name: Name
  readonly says: string
  /** Whether a match ends the request. */
  readonly terminating: boolean
  /** Absent for an action that takes none. */
  parameters?(context: RuleContext): Shape<Parameters>
  /** Parameters it accepts; every phase that allows the action accepts at least one of them. */
  readonly examples: readonly Readonly<Record<string, unknown>>[]
  /** The value expressions that `act` will ask for. */
  expressions?(parameters: Parameters): readonly string[]
  /** Answers in the origin's place, or changes the passage, or neither. `skip` and `execute` steer evaluation itself. */
  act?(parameters: Parameters, turn: Turn): Answer | undefined
}

export const defineAction = <const Name extends string, Parameters = Record<string, never>>(
  action: Action<Name, Parameters>,
): Action<Name, Parameters> => action

/** A challenge needs a page of the edge itself; here it is an answer of its own kind, which the edge may render. */
export const challengeAnswer = (): Answer => ({
  kind: 'challenge',
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'This request needs to be confirmed by a person.\n',
})

const lineBreaks = /[\0\r\n]/

/** A computed header value that carries a line break would write headers of its own; it is no value. */
export const isHeaderValue = (value: string): boolean => !lineBreaks.test(value)
