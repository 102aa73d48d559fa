/** A regular expression's tree written out again for an engine: V8's own, or RE2. No flags, no modes, bytes only. */
import { allBytes, type ByteSet, noBytes, runsOf } from './byte-set.ts'
import type { Look, Node } from './syntax.ts'

export type Engine = 'v8' | 're2'

const looks: Record<Engine, Record<Look, string>> = {
  v8: {
    start: '^',
    end: '$',
    // Not the `m` flag: it would also end lines at carriage returns.
    lineStart: '(?:^|(?<=\\n))',
    lineEnd: '(?:$|(?=\\n))',
    word: '\\b',
    notWord: '\\B',
  },
  re2: { start: '\\A', end: '\\z', lineStart: '(?m:^)', lineEnd: '(?m:$)', word: '\\b', notWord: '\\B' },
}

export const emit = (node: Node, engine: Engine): string => {
  switch (node.kind) {
    case 'set':
      return writeSet(node.set, engine)
    case 'look':
      return looks[engine][node.look]
    case 'capture':
      return `(${emit(node.item, engine)})`
    case 'concat':
      return node.items.map((item) => writeItem(item, engine)).join('')
    case 'alternate':
      return node.items.map((item) => emit(item, engine)).join('|')
    case 'repeat':
      return writeRepeat(node, engine)
  }
}

const writeItem = (node: Node, engine: Engine): string => {
  const written = emit(node, engine)
  return node.kind === 'alternate' || (node.kind === 'concat' && node.items.length === 1) ? `(?:${written})` : written
}

const writeRepeat = ({ item, min, max, greedy }: Node & { kind: 'repeat' }, engine: Engine): string =>
  `(?:${emit(item, engine)})${counts(min, max)}${greedy ? '' : '?'}`

const counts = (min: number, max: number): string => {
  if (max === Number.POSITIVE_INFINITY) return ['*', '+'][min] ?? `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

const writeSet = (set: ByteSet, engine: Engine): string => {
  if (set === noBytes) return engine === 'v8' ? '[]' : '[^\\x00-\\x{10FFFF}]'
  if (set === allBytes) return '[\\x00-\\xff]'
  const runs = runsOf(set)
  const [only] = runs
  if (runs.length === 1 && only && only[0] === only[1]) return byte(only[0])
  return `[${runs.map(([first, last]) => (first === last ? byte(first) : `${byte(first)}-${byte(last)}`)).join('')}]`
}

const byte = (code: number): string => {
  const character = String.fromCharCode(code)
  return /^[0-9A-Za-z]$/.test(character) ? character : `\\x${code.toString(16).padStart(2, '0')}`
}
