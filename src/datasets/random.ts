/** Seeded randomness for made-up records: the same seed tells the same story on every machine. */

export type Random = {
  /** A whole number from 0 up to, not including, `below` (at most 2^32). */
  below(below: number): number
  isOneIn(many: number): boolean
  pick<T>(list: readonly T[]): T
  hex(digits: number): string
  /** A positive whole number that may need all 63 bits. */
  long(): bigint
}

/** SplitMix32: one addition and three multiplications a number, good enough to spread test data. */
export function makeRandom(seed: number): Random {
  let state = Math.imul(seed | 0, 0x9e3779b1) | 0
  const word = (): number => {
    state = (state + 0x9e3779b9) | 0
    return mix(state)
  }
  const below = (limit: number): number => Math.floor((word() / 0x1_0000_0000) * limit)
  return {
    below,
    isOneIn: (many) => below(many) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
    long: () => (BigInt(word() >>> 1) << 32n) | BigInt(word()),
  }
}

/** Spreads the bits of a word; different words stay different. */
export function mix(word: number): number {
  let mixed = word ^ (word >>> 16)
  mixed = Math.imul(mixed, 0x21f0aaad)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}
