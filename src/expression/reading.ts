/** A text under reading: the source with what reading it needs, and the two ways to go on: deeper, or back. */
import { Stop } from './fault.ts'
import type { Limits } from './limits.ts'
import type { Scheme } from './scheme.ts'
import { type Source, stop } from './token.ts'
import type { Logical } from './tree.ts'

/** `depth` counts what we are inside of. */
export type Reading = Source & {
  readonly scheme: Scheme
  readonly limits: Limits
  depth: number
  regexes: number
  /** Reads a condition: handed in, because conditions hold values and values hold conditions. */
  readonly readCondition: (reading: Reading) => Logical
  /** The call of a function that may be used once. */
  usedOnce: string | undefined
}

/** Goes one level deeper, if the limit allows. */
export const nested = <T>(reading: Reading, from: number, read: () => T): T => {
  if (reading.depth >= reading.limits.nesting) {
    stop(reading, `maximum nesting depth exceeded (limit: ${reading.limits.nesting})`, from)
  }
  reading.depth++
  const result = read()
  reading.depth--
  return result
}

/** Reads, or puts everything back and gives nothing. */
export const attempt = <T>(reading: Reading, read: (reading: Reading) => T): T | undefined => {
  const { at, depth, regexes, usedOnce } = reading
  try {
    return read(reading)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    Object.assign(reading, { at, depth, regexes, usedOnce })
    return undefined
  }
}
