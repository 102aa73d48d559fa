/** How a function of the language is defined: its page, its signature, its examples and its work in one object. */
import type { Ip } from './ip.ts'
import type { Argument } from './tree.ts'
import type { Type } from './type.ts'
import type { Integer, Value, Values } from './values.ts'

/** A type that an argument may have; `first` is the type of the first argument, `element` that of its elements. */
export type Wanted = Type | 'Array<_>' | 'Map<_>' | 'first' | 'element'
/** `field`: anything but a literal; `literal`: nothing but one. */
export type ArgumentKind = 'field' | 'literal' | 'any'

export type Param<T = unknown> = {
  readonly name: string
  readonly kind: ArgumentKind
  readonly wants: readonly Wanted[]
  readonly optional: boolean
  /** Only for the compiler's eye: what `run` is given. */
  readonly value?: T
}

type ValueOf<W> = W extends 'Bytes'
  ? string
  : W extends 'Int'
    ? Integer
    : W extends 'Bool'
      ? boolean
      : W extends 'Ip'
        ? Ip
        : Value

const param =
  (kind: ArgumentKind) =>
  <const W extends Wanted>(name: string, ...wants: readonly W[]): Param<ValueOf<W>> => ({
    name,
    kind,
    wants,
    optional: false,
  })

export const field = param('field')
export const literal = param('literal')
export const either = param('any')
export const optional = <T>(wanted: Param<T>): Param<T | undefined> => ({
  name: wanted.name,
  kind: wanted.kind,
  wants: wanted.wants,
  optional: true,
})

type Given<P extends readonly Param[]> = { [K in keyof P]: P[K] extends Param<infer T> ? T : never }
/** The values of an example's fields, by name; what an example gives, `undefined` for a missing value. */
type Example = readonly [text: string, gives: unknown, where?: Readonly<Record<string, unknown>>]
export type Run = (...given: (Value | undefined)[]) => Value | undefined

type Definition<P extends readonly Param[], R> = {
  readonly name: string
  readonly says: string
  readonly takes: P
  /** Further arguments, at least `atLeast` of them. */
  readonly rest?: { readonly param: Param<R>; readonly atLeast: number }
  readonly gives: Type | 'first'
  /** What a missing argument leads to; by default the result is missing too and `run` is not called. */
  readonly missing?: 'passed'
  /** Why a literal or a field cannot be this argument. */
  readonly check?: (at: number, argument: Argument) => string | undefined
  readonly phases?: readonly string[]
  /** Only in value expressions (rewrites and redirects), not in filters. */
  readonly valueOnly?: true
  /** At most one such call in an expression. */
  readonly once?: true
  readonly examples: readonly Example[]
} & (
  | { readonly run: (...given: [...Given<P>, ...R[]]) => Value | undefined }
  /** When literals are worth preparing: makes `run` once, from the literal arguments. */
  | { readonly prepare: (literals: readonly (Value | undefined)[]) => (...given: Given<P>) => Value | undefined }
  /** When the answer comes from the request as a whole. */
  | { readonly ask: (values: Values, ...given: Given<P>) => Value | undefined }
)

export type LanguageFunction = {
  readonly name: string
  readonly says: string
  readonly takes: readonly Param[]
  readonly rest?: { readonly param: Param; readonly atLeast: number }
  readonly gives: Type | 'first'
  readonly missing?: 'passed'
  readonly check?: (at: number, argument: Argument) => string | undefined
  readonly phases?: readonly string[]
  readonly valueOnly?: true
  readonly once?: true
  readonly examples: readonly Example[]
  readonly run?: Run
  readonly prepare?: (literals: readonly (Value | undefined)[]) => Run
  readonly ask?: (values: Values, ...given: (Value | undefined)[]) => Value | undefined
}

/**
 * The types of `takes` flow into `run` here and end here: the checker makes sure at parse time that a call's arguments
 * fit, so that at run time values are handed over as they are.
 */
export const defineFunction = <const P extends readonly Param[], R = never>(
  definition: Definition<P, R>,
): LanguageFunction => definition as unknown as LanguageFunction
