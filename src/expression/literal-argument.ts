/** What functions ask of their literal arguments when a call is checked. */
import type { Argument } from './tree.ts'
import type { Scalar } from './values.ts'

/** The value of a literal; nothing for any other argument. */
export const literalOf = (argument: Argument): Scalar | undefined =>
  argument.kind === 'literal' ? argument.value : undefined

export const numberBetween = (argument: Argument, least: number, most: number, name: string): string | undefined => {
  const value = literalOf(argument)
  return typeof value === 'number' && value >= least && value <= most
    ? undefined
    : `${name} must be from ${least} to ${most}`
}

/** A flags argument: each letter at most once, and only known ones. */
export const flagsFrom = (argument: Argument, known: string): string | undefined => {
  const flags = literalOf(argument)
  if (typeof flags !== 'string') return undefined
  const letters = [...flags]
  const isKnown = letters.every((letter, at) => known.includes(letter) && letters.indexOf(letter) === at)
  return isKnown ? undefined : `flags are any of ${[...known].join(', ')}`
}
