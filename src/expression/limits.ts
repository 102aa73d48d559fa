/** How much one expression may ask for. All are settings: a caller may hand in others. */

export type Limits = {
  /** Characters of the whole text. */
  readonly length: number
  /** Groups, negations, calls and quantifiers inside each other. */
  readonly nesting: number
  /** Elements of one set in braces. */
  readonly setSize: number
  /** Regular expressions in one expression. */
  readonly regexes: number
  /** Estimated bytes of one compiled regular expression. */
  readonly regexBytes: number
  /** Stars in one wildcard. */
  readonly wildcardStars: number
}

export const defaultLimits: Limits = {
  length: 4096,
  nesting: 128,
  setSize: 4096,
  regexes: 64,
  regexBytes: 1024 * 1024,
  wildcardStars: 64,
}
