/** What a phase is: a place in the life of a request where one account entry point and one zone entry point may run. */
import type { ScopeKind } from '../../base/index.ts'
import type { ActionName } from '../actions/index.ts'
import type { Kind } from '../ruleset.ts'

/** When the phase runs; it decides which fields an expression may use. */
type Stage = 'network' | 'request' | 'response'

export type Phase<Name extends string = string> = {
  readonly name: Name
  readonly title: string
  readonly says: string
  readonly scopes: readonly ScopeKind[]
  readonly stage: Stage
  /** Which actions a ruleset of each kind may hold. A kind that is not named does not exist in the phase. */
  readonly actions: Readonly<Partial<Record<Kind, readonly ActionName[]>>>
  /** The most rules that one ruleset of the phase may hold. */
  readonly maxRules: number
  /** Later phases that a skip rule of this phase may switch off. */
  readonly maySkip?: readonly string[]
}

export const definePhase = <const Name extends string>(phase: Phase<Name>): Phase<Name> => phase
