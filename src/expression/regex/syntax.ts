/**
 * Regular expressions as the hosted product reads them (the syntax of Rust's regex crate, on bytes, Unicode off): text
 * to tree. Flags are worked in while reading, so the tree knows no modes: a case-insensitive letter is a set of two.
 */
import type { ByteSet } from './byte-set.ts'
import { allBytes, bytesOf, caseFolded, digits, negated, oneByte, runsOf, spaces, wordBytes } from './byte-set.ts'
import { readClass } from './class.ts'
import { type Pattern, RegexStop, readEscape, stopRegex } from './escape.ts'

export type Node =
  | { readonly kind: 'set'; readonly set: ByteSet }
  | { readonly kind: 'look'; readonly look: Look }
  | { readonly kind: 'concat'; readonly items: readonly Node[] }
  | { readonly kind: 'alternate'; readonly items: readonly Node[] }
  | { readonly kind: 'capture'; readonly item: Node }
  | {
      readonly kind: 'repeat'
      readonly item: Node
      readonly min: number
      readonly max: number
      readonly greedy: boolean
    }

/** `start` and `end` of the value, of a line, and word boundaries. */
export type Look = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord'

export type Regex = {
  /** Nothing when the pattern asks for Unicode mode: then it is handed on as written. */
  readonly root?: Node
  readonly pattern: string
}

type Flags = { ignoreCase: boolean; multiLine: boolean; dotAll: boolean; lazy: boolean; verbose: boolean }

const plain: Flags = { ignoreCase: false, multiLine: false, dotAll: false, lazy: false, verbose: false }

/** Groups inside groups; deeper patterns are refused. */
const nestLimit = 250
/** Bytes that one state of a compiled program takes, about. */
const bytesPerState = 32

/** The tree of a pattern, or what is wrong with it, told over several lines with the place marked. */
export const parseRegex = (pattern: string, byteLimit: number): Regex | { readonly problem: string } => {
  try {
    if (/^\(\?[a-tv-zA-Z]*u[a-zA-Z]*(?:-[a-zA-Z]+)?\)/.test(pattern)) return { pattern }
    const reading: Pattern = { text: pattern, at: 0, names: new Set() }
    const root = readAlternation(reading, { ...plain }, 0)
    if (reading.at < pattern.length) stopRegex('unopened group', reading.at)
    if (statesOf(root) * bytesPerState > byteLimit) {
      return { problem: `Compiled regex exceeds size limit of ${byteLimit} bytes.` }
    }
    return { pattern, root }
  } catch (error) {
    if (!(error instanceof RegexStop)) throw error
    return { problem: sayProblem(pattern, error) }
  }
}

const sayProblem = (pattern: string, { message, from, to }: RegexStop): string => {
  const marks = `${' '.repeat(from)}${'^'.repeat(Math.max(1, to - from))}`
  return `regex parse error:\n    ${pattern}\n    ${marks}\nerror: ${message}`
}

const readAlternation = (reading: Pattern, flags: Flags, depth: number): Node => {
  if (depth > nestLimit)
    stopRegex(`exceed the maximum number of nested parentheses/brackets (${nestLimit})`, reading.at)
  const items = [readConcat(reading, flags, depth)]
  while (reading.text.charAt(reading.at) === '|') {
    reading.at++
    items.push(readConcat(reading, flags, depth))
  }
  return items.length === 1 ? (items[0] as Node) : { kind: 'alternate', items }
}

/** Flags set by `(?i)` hold until the enclosing group ends, alternatives to the right included. */
const readConcat = (reading: Pattern, flags: Flags, depth: number): Node => {
  const items: Node[] = []
  for (;;) {
    if (flags.verbose) skipVerbose(reading)
    const here = reading.text.charAt(reading.at)
    if (here === '' || here === '|' || here === ')') break
    if (here === '(') {
      const group = readGroup(reading, flags, depth)
      if (group) items.push(group)
      else if (/^[*+?{]/.test(reading.text.slice(reading.at)))
        stopRegex('repetition operator missing expression', reading.at)
    } else if (here === '*' || here === '+' || here === '?' || here === '{') {
      const item = items.pop()
      items.push(readRepeat(reading, item, flags))
    } else items.push(readAtom(reading, flags))
  }
  return items.length === 1 ? (items[0] as Node) : { kind: 'concat', items }
}

const readAtom = (reading: Pattern, flags: Flags): Node => {
  const from = reading.at
  const here = reading.text.charAt(from)
  if (here === '[') return setNode(readClass(reading, flags.ignoreCase, flags.verbose))
  if (here === '\\') return readEscaped(reading, flags)
  const code = reading.text.codePointAt(from) ?? 0
  reading.at += code > 0xffff ? 2 : 1
  if (here === '.') return setNode(flags.dotAll ? allBytes : negated(bytesOf('\n')))
  if (here === '^') return { kind: 'look', look: flags.multiLine ? 'lineStart' : 'start' }
  if (here === '$') return { kind: 'look', look: flags.multiLine ? 'lineEnd' : 'end' }
  if (code > 0x7f) stopRegex('Unicode not allowed here', from, reading.at)
  return literalNode(code, flags)
}

const readEscaped = (reading: Pattern, flags: Flags): Node => {
  const read = readEscape(reading)
  if (read.kind === 'byte') return literalNode(read.byte, flags)
  if (read.kind === 'look') return { kind: 'look', look: read.look }
  const set = { d: digits, s: spaces, w: wordBytes }[read.of]
  return setNode(read.negated ? negated(set) : set)
}

const setNode = (set: ByteSet): Node => ({ kind: 'set', set })
const literalNode = (byte: number, flags: Flags): Node =>
  setNode(flags.ignoreCase ? caseFolded(oneByte(byte)) : oneByte(byte))

/** A group; nothing for `(?flags)`, which only changes the flags from here on. */
const readGroup = (reading: Pattern, flags: Flags, depth: number): Node | undefined => {
  const from = reading.at
  const rest = reading.text.slice(from)
  if (/^\(\?<?[=!]/.test(rest)) {
    const length = rest.charAt(2) === '<' ? 4 : 3
    stopRegex('look-around, including look-ahead and look-behind, is not supported', from, from + length)
  }
  reading.at++
  let inner = { ...flags }
  let captures = true
  if (rest.startsWith('(?P<') || rest.startsWith('(?<')) readGroupName(reading, rest.startsWith('(?P<') ? 3 : 2)
  else if (rest.startsWith('(?')) {
    reading.at++
    captures = false
    inner = readFlags(reading, flags, from)
    const ending = reading.text.charAt(reading.at++)
    if (ending === ')') {
      Object.assign(flags, inner)
      return undefined
    }
  }
  const item = readAlternation(reading, inner, depth + 1)
  if (reading.text.charAt(reading.at) !== ')') stopRegex('unclosed group', from, from + 1)
  reading.at++
  return captures ? { kind: 'capture', item } : grouped(item)
}

/** A group stands as one item, so that it does not melt into what is around it. */
const grouped = (item: Node): Node => ({ kind: 'concat', items: [item] })

const readGroupName = (reading: Pattern, skip: number): void => {
  reading.at += skip
  const from = reading.at
  const close = reading.text.indexOf('>', from)
  if (close === -1) stopRegex('unclosed capture group name', from, reading.text.length)
  const name = reading.text.slice(from, close)
  if (name === '') stopRegex('empty capture group name', from)
  const wrong = /^[A-Za-z_]/.test(name) ? name.search(/[^A-Za-z0-9_.[\]]/) : 0
  if (wrong !== -1) stopRegex('invalid capture group character', from + wrong)
  if (reading.names.has(name)) stopRegex('duplicate capture group name', from, close)
  reading.names.add(name)
  reading.at = close + 1
}

const flagNames: Record<string, keyof Flags> = {
  i: 'ignoreCase',
  m: 'multiLine',
  s: 'dotAll',
  U: 'lazy',
  x: 'verbose',
}

const readFlags = (reading: Pattern, flags: Flags, from: number): Flags => {
  const changed = { ...flags }
  const seen = new Set<string>()
  let on = true
  for (; ; reading.at++) {
    const here = reading.text.charAt(reading.at)
    if (here === '') stopRegex('expected flag but got end of regex', reading.at)
    if (here === ':' || here === ')') {
      if (!on && reading.text.charAt(reading.at - 1) === '-')
        stopRegex('dangling flag negation operator', reading.at - 1)
      // `(?)` has nothing to switch and nothing to hold.
      if (here === ')' && reading.at === from + 2) stopRegex('repetition operator missing expression', from + 1)
      return changed
    }
    if (here === '-') {
      if (!on) stopRegex('flag negation operator repeated', reading.at)
      on = false
      continue
    }
    if (seen.has(here)) stopRegex('duplicate flag', reading.at)
    seen.add(here)
    const flag = flagNames[here]
    if (flag) changed[flag] = on
    else if (here === 'u' && on)
      stopRegex('Unicode mode holds for a whole pattern only: begin it with (?u)', reading.at)
    else if (here !== 'u') stopRegex(here === 'R' ? 'CRLF mode is not supported' : 'unrecognized flag', reading.at)
  }
}

const readRepeat = (reading: Pattern, item: Node | undefined, flags: Flags): Node => {
  const from = reading.at
  const sign = reading.text.charAt(from)
  if (!item) return stopRegex('repetition operator missing expression', from)
  const [min, max] = sign === '{' ? readCounts(reading) : signCounts[sign as '*' | '+' | '?']
  if (sign !== '{') reading.at++
  const swapped = reading.text.charAt(reading.at) === '?'
  if (swapped) reading.at++
  return { kind: 'repeat', item, min, max, greedy: swapped === flags.lazy }
}

const signCounts = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
} as const

const readCounts = (reading: Pattern): readonly [number, number] => {
  const from = reading.at
  const close = reading.text.indexOf('}', from)
  if (from + 1 >= reading.text.length) stopRegex('unclosed counted repetition', from)
  const inside = reading.text.slice(from + 1, close === -1 ? undefined : close)
  const [, low, comma = '', high = ''] = /^\s*([0-9]+)\s*(?:(,)\s*(?:([0-9]+)\s*)?)?$/.exec(inside) ?? []
  if (low === undefined) {
    if (close === -1 && /^\s*[0-9]+\s*,?\s*[0-9]*/.test(inside)) stopRegex('unclosed counted repetition', from)
    return stopRegex('repetition quantifier expects a valid decimal', from + 1)
  }
  if (close === -1) stopRegex('unclosed counted repetition', from, reading.text.length)
  reading.at = close + 1
  const min = Number(low)
  if (min > 0xffffffff || Number(high) > 0xffffffff) stopRegex('decimal literal invalid', from + 1, close)
  if (comma === '') return [min, min]
  if (high === '') return [min, Number.POSITIVE_INFINITY]
  if (Number(high) < min) {
    stopRegex('invalid repetition count range, the start must be <= the end', from, close + 1)
  }
  return [min, Number(high)]
}

const skipVerbose = (reading: Pattern): void => {
  for (;;) {
    const here = reading.text.charAt(reading.at)
    if (here !== '' && ' \t\n\r\v\f'.includes(here)) reading.at++
    else if (here === '#') {
      const end = reading.text.indexOf('\n', reading.at)
      reading.at = end === -1 ? reading.text.length : end + 1
    } else return
  }
}

/** States a program for this tree has, about; counted repetitions are written out. */
const statesOf = (node: Node): number => {
  switch (node.kind) {
    case 'set':
      return Math.max(1, Math.min(8, runsOf(node.set).length))
    case 'look':
      return 1
    case 'capture':
      return 2 + statesOf(node.item)
    case 'concat':
    case 'alternate':
      return node.items.reduce((sum, item) => sum + statesOf(item), 1)
    case 'repeat': {
      const times = Number.isFinite(node.max) ? node.max : node.min + 1
      return 1 + Math.max(1, times) * (statesOf(node.item) + 1)
    }
  }
}
