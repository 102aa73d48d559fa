/** A regular expression's tree written out again for an engine: V8's own, or RE2. No flags, no modes, bytes only. */
import { allBytes, type ByteSet, noBytes, runsOf } from './byte-set.ts'
import type { Look, Node } from './syntax.ts'

export type Engine = 'v8' | 're2'

export const emit = (node: Node, engine: Engine): string => write(node, engine, 1)

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

/** RE2 refuses counts, nested ones multiplied, above this; they are written out instead. */
const re2Repeats = 1000

const write = (node: Node, engine: Engine, times: number): string => {
  switch (node.kind) {
    case 'set':
      return writeSet(node.set, engine)
    case 'look':
      return looks[engine][node.look]
    case 'capture':
      return `(${write(node.item, engine, times)})`
    case 'concat':
      return node.items.map((item) => writeItem(item, engine, times)).join('')
    case 'alternate':
      return node.items.map((item) => write(item, engine, times)).join('|')
    case 'repeat':
      return writeRepeat(node, engine, times)
  }
}

const writeItem = (node: Node, engine: Engine, times: number): string => {
  const written = write(node, engine, times)
  return node.kind === 'alternate' || (node.kind === 'concat' && node.items.length === 1) ? `(?:${written})` : written
}

const writeRepeat = (node: Node & { kind: 'repeat' }, engine: Engine, times: number): string => {
  const { min, max } = node
  const most = Number.isFinite(max) ? max : Math.max(1, min)
  if (engine === 're2' && most > 1 && times * most > re2Repeats) return writeOut(node, times)
  const item = write(node.item, engine, times * Math.max(1, most))
  return `(?:${item})${counts(min, max)}${node.greedy ? '' : '?'}`
}

const counts = (min: number, max: number): string => {
  if (max === Number.POSITIVE_INFINITY) return ['*', '+'][min] ?? `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

/** `x{2,4}` as `xx(?:x(?:x)?)?`: the limit on a pattern's size keeps this short. */
const writeOut = (node: Node & { kind: 'repeat' }, times: number): string => {
  const item = `(?:${write(node.item, 're2', times)})`
  const lazy = node.greedy ? '' : '?'
  if (node.max === Number.POSITIVE_INFINITY) return `${item.repeat(node.min)}${item}*${lazy}`
  const more = node.max - node.min
  return `${item.repeat(node.min)}${`(?:${item}`.repeat(more)}${`)?${lazy}`.repeat(more)}`
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
