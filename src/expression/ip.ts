/**
 * Addresses, read once and compared as four words. A word is 32 bits with the sign bit flipped, so that the signed
 * order of JavaScript's small integers is the unsigned order of addresses and no word needs a heap number. An IPv4
 * address has its only word in `a`.
 */

export type Ip = {
  readonly family: 4 | 6
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
}

const SIGN = 0x80000000 | 0
const ZERO = SIGN

export const ipv4 = (word: number): Ip => ({ family: 4, a: word ^ SIGN, b: ZERO, c: ZERO, d: ZERO })

export const isIp = (value: unknown): value is Ip =>
  typeof value === 'object' && value !== null && 'family' in value && 'd' in value

/** An address in the strict notation: four plain decimal octets, or RFC 4291 groups. Nothing for any other text. */
export const parseIp = (text: string): Ip | undefined => {
  if (!text.includes(':')) {
    const word = parseIpv4Word(text)
    return word === undefined ? undefined : ipv4(word)
  }
  const groups = parseIpv6Groups(text)
  if (!groups) return undefined
  const [a, b, c, d] = [0, 2, 4, 6].map((at) => (((groups[at] ?? 0) << 16) | (groups[at + 1] ?? 0)) ^ SIGN)
  return { family: 6, a: a ?? ZERO, b: b ?? ZERO, c: c ?? ZERO, d: d ?? ZERO }
}

/** Network bits kept, host bits zero. */
export const networkOf = (ip: Ip, bits: number): Ip => {
  const keep = (word: number, at: number): number => {
    const kept = Math.max(0, Math.min(32, bits - at))
    return ((word ^ SIGN) & maskOf(kept)) ^ SIGN
  }
  if (ip.family === 4) return { ...ip, a: keep(ip.a, 0) }
  return { family: 6, a: keep(ip.a, 0), b: keep(ip.b, 32), c: keep(ip.c, 64), d: keep(ip.d, 96) }
}

/** The last address of a network: host bits all ones. */
export const lastOf = (network: Ip, bits: number): Ip => {
  const fill = (word: number, at: number): number => word | ~maskOf(Math.max(0, Math.min(32, bits - at)))
  const filled = (word: number, at: number): number => fill(word ^ SIGN, at) ^ SIGN
  if (network.family === 4) return { ...network, a: filled(network.a, 0) }
  return {
    family: 6,
    a: filled(network.a, 0),
    b: filled(network.b, 32),
    c: filled(network.c, 64),
    d: filled(network.d, 96),
  }
}

export const sameIp = (left: Ip, right: Ip): boolean =>
  left.a === right.a && left.family === right.family && left.b === right.b && left.c === right.c && left.d === right.d

/** Negative, zero or positive, for two addresses of one family. */
export const orderIps = (left: Ip, right: Ip): number => {
  if (left.a !== right.a) return left.a < right.a ? -1 : 1
  if (left.b !== right.b) return left.b < right.b ? -1 : 1
  if (left.c !== right.c) return left.c < right.c ? -1 : 1
  if (left.d !== right.d) return left.d < right.d ? -1 : 1
  return 0
}

/** RFC 5952 text: lower case, the longest run of zero groups (two at least) as `::`, mapped IPv4 in dots. */
export const formatIp = (ip: Ip): string => {
  const words = [ip.a, ip.b, ip.c, ip.d].map((word) => (word ^ SIGN) >>> 0)
  if (ip.family === 4) return dotted(words[0] ?? 0)
  const [a, b, c, d = 0] = words
  if (a === 0 && b === 0 && c === 0xffff) return `::ffff:${dotted(d)}`
  const groups = words.flatMap((word) => [word >>> 16, word & 0xffff])
  const run = longestZeroRun(groups)
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (run.length < 2) return hex(groups)
  return `${hex(groups.slice(0, run.start))}::${hex(groups.slice(run.start + run.length))}`
}

const octets = (word: number): readonly number[] => [
  word >>> 24,
  (word >>> 16) & 0xff,
  (word >>> 8) & 0xff,
  word & 0xff,
]

const dotted = (word: number): string => octets(word).join('.')

const maskOf = (bits: number): number => (bits === 0 ? 0 : (-1 << (32 - bits)) | 0)

const parseIpv4Word = (text: string): number | undefined => {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let word = 0
  for (const part of parts) {
    if (!/^(?:0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined
    word = (word << 8) | Number(part)
  }
  return word | 0
}

const parseIpv6Groups = (text: string): number[] | undefined => {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [left = '', right] = halves
  const head = readGroups(left, right === undefined)
  const tail = right === undefined ? [] : readGroups(right, true)
  if (!head || !tail) return undefined
  const missing = 8 - head.length - tail.length
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

/** Groups between colons; only the last part of an address may be an IPv4 address. */
const readGroups = (text: string, isLast: boolean): number[] | undefined => {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [at, part] of parts.entries()) {
    if (part.includes('.')) {
      const word = parseIpv4Word(part)
      if (!isLast || at !== parts.length - 1 || word === undefined) return undefined
      groups.push(word >>> 16, word & 0xffff)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined
      groups.push(Number.parseInt(part, 16))
    }
  }
  return groups
}

const longestZeroRun = (groups: readonly number[]): { start: number; length: number } => {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
    start += length
  }
  return best
}
