/** Character classes of regular expressions: `[a-z]`, `[^…]`, `[[:alpha:]]`, nesting, and the operators && -- ~~. */
import {
  allBytes,
  type ByteSet,
  byteRange,
  caseFolded,
  digits,
  negated,
  noBytes,
  oneByte,
  posixClasses,
  spaces,
  wordBytes,
} from './byte-set.ts'
import { type Pattern, readEscape, stopRegex } from './escape.ts'

/** Classes inside classes; deeper ones are refused. */
const nestLimit = 50

export const readClass = (reading: Pattern, ignoreCase: boolean, verbose: boolean, depth = 0): ByteSet => {
  const from = reading.at
  if (depth > nestLimit) stopRegex(`exceed the maximum number of nested parentheses/brackets (${nestLimit})`, from)
  reading.at++
  const isNegated = reading.text.charAt(reading.at) === '^'
  if (isNegated) reading.at++
  let left: ByteSet | undefined
  let operator = ''
  let set = noBytes
  const combined = (): ByteSet => (left === undefined ? set : combine(left, operator, set))
  const first = reading.at
  for (;;) {
    if (verbose) skipSpaces(reading)
    const here = reading.text.charAt(reading.at)
    const two = reading.text.slice(reading.at, reading.at + 2)
    if (here === '') stopRegex('unclosed character class', from)
    if (here === ']' && reading.at > first) break
    if (two === '&&' || two === '--' || two === '~~') {
      left = combined()
      operator = two
      set = noBytes
      reading.at += 2
    } else if (here === '[') set |= readNested(reading, ignoreCase, verbose, depth)
    else set |= readRange(reading, ignoreCase, from)
  }
  reading.at++
  const whole = combined()
  return isNegated ? negated(whole) : whole
}

const combine = (left: ByteSet, operator: string, right: ByteSet): ByteSet => {
  if (operator === '&&') return left & right
  return operator === '--' ? left & (allBytes ^ right) : left ^ right
}

const readNested = (reading: Pattern, ignoreCase: boolean, verbose: boolean, depth: number): ByteSet => {
  const [whole, not, name] = /^\[:(\^?)([a-z]+):\]/.exec(reading.text.slice(reading.at, reading.at + 16)) ?? []
  const posix = name === undefined ? undefined : posixClasses.get(name)
  if (whole === undefined || posix === undefined) return readClass(reading, ignoreCase, verbose, depth + 1)
  reading.at += whole.length
  const set = ignoreCase ? caseFolded(posix) : posix
  return not === '^' ? negated(set) : set
}

const readRange = (reading: Pattern, ignoreCase: boolean, classFrom: number): ByteSet => {
  const from = reading.at
  const first = readItem(reading)
  const next = reading.text.slice(reading.at, reading.at + 2)
  if (!next.startsWith('-') || next === '-]' || next === '--') {
    const set = typeof first === 'number' ? oneByte(first) : first
    return ignoreCase ? caseFolded(set) : set
  }
  reading.at++
  if (reading.at >= reading.text.length) stopRegex('unclosed character class', classFrom)
  const last = readItem(reading)
  if (typeof first !== 'number' || typeof last !== 'number') {
    return stopRegex('invalid range boundary, must be a literal', from, reading.at)
  }
  if (last < first) {
    stopRegex('invalid character class range, the start must be <= the end', from, reading.at)
  }
  const set = byteRange(first, last)
  return ignoreCase ? caseFolded(set) : set
}

/** One byte, or the set of `\d`, `\s`, `\w`. */
const readItem = (reading: Pattern): number | ByteSet => {
  const from = reading.at
  if (reading.text.charAt(from) === '\\') {
    const read = readEscape(reading)
    if (read.kind === 'byte') return read.byte
    if (read.kind === 'look') return stopRegex('invalid escape sequence found in character class', from, reading.at)
    const set = { d: digits, s: spaces, w: wordBytes }[read.of]
    return read.negated ? negated(set) : set
  }
  const code = reading.text.codePointAt(from) ?? 0
  reading.at += code > 0xffff ? 2 : 1
  return code > 0x7f ? stopRegex('Unicode not allowed here', from, reading.at) : code
}

const skipSpaces = (reading: Pattern): void => {
  while (/^\s$/.test(reading.text.charAt(reading.at))) reading.at++
}
