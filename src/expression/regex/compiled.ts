/** A regular expression ready to run on bytes: by native search where it is plain text, by V8 where that is safe, by RE2 else. */
import { RE2JS, RE2JSException } from 're2js'
import { fromBytes, toBytes } from '../bytes.ts'
import { runsOf } from './byte-set.ts'
import { emit } from './emit.ts'
import { isSafeForV8 } from './safety.ts'
import type { Node, Regex } from './syntax.ts'

type Engine = 'search' | 'v8' | 're2'
type RegexTest = { readonly engine: Engine; readonly test: (value: string) => boolean }

/** Why a pattern cannot run although it reads well; what can run is kept, so that nothing is built twice. */
export const whyNotRunnable = (regex: Regex, use: 'test' | 'find'): string | undefined => {
  try {
    if (use === 'test') regexTest(regex)
    else regexFind(regex)
    return undefined
  } catch (error) {
    if (error instanceof RE2JSException) return error.message
    throw error
  }
}

const tests = new WeakMap<Regex, RegexTest>()

/** Whether a value holds a match anywhere. */
export const regexTest = (regex: Regex): RegexTest => {
  const known = tests.get(regex)
  if (known) return known
  const made = makeTest(regex)
  tests.set(regex, made)
  return made
}

const makeTest = ({ pattern, root }: Regex): RegexTest => {
  if (!root) {
    const unicode = unicodeRegex(pattern)
    return { engine: 're2', test: (value) => unicode.test(fromBytes(value)) }
  }
  const slim = slimmed(root)
  const plain = plainSearch(slim)
  if (plain) return { engine: 'search', test: plain }
  if (isSafeForV8(slim)) {
    const regex = new RegExp(emit(slim, 'v8'))
    return { engine: 'v8', test: (value) => regex.test(value) }
  }
  const regex = RE2JS.compile(emit(slim, 're2'))
  return { engine: 're2', test: (value) => regex.test(value) }
}

type Match = { readonly from: number; readonly to: number; readonly groups: readonly (string | undefined)[] }

/** Finds the first match and its groups; group 0 is the match itself. */
export const regexFind = ({ pattern, root }: Regex): ((value: string) => Match | undefined) => {
  if (root && isSafeForV8(root) && !capturesInRepeats(root)) {
    const regex = new RegExp(emit(root, 'v8'))
    return (value) => {
      const found = regex.exec(value)
      return found ? { from: found.index, to: found.index + found[0].length, groups: found } : undefined
    }
  }
  const regex = root ? RE2JS.compile(emit(root, 're2')) : unicodeRegex(pattern)
  return (value) => {
    const text = root ? value : fromBytes(value)
    const matcher = regex.matcher(text)
    if (!matcher.find()) return undefined
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at) ?? undefined)
    const bytesTo = (end: number): number => (root ? end : toBytes(text.slice(0, end)).length)
    return {
      from: bytesTo(matcher.start()),
      to: bytesTo(matcher.end()),
      groups: root ? groups : groups.map((group) => group && toBytes(group)),
    }
  }
}

/** Unicode mode: RE2 on text, with its own idea of `\d`, `\w` and `\s` (ASCII). */
const unicodeRegex = (pattern: string): RE2JS =>
  RE2JS.compile(pattern.replace(/^\(\?([a-zA-Z]*)u/, '(?$1').replace(/^\(\?\)/, ''))

/** `Googlebot`, `^/api`, `\.php$`: text without choices, optionally held at an end. */
const plainSearch = (root: Node): ((value: string) => boolean) | undefined => {
  const items = flat(root)
  const fromStart = isLook(items[0], 'start')
  const toEnd = isLook(items.at(-1), 'end') && items.length > (fromStart ? 1 : 0)
  const bytes = items.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined).map(onlyByte)
  if (bytes.includes(undefined)) return undefined
  const text = String.fromCharCode(...(bytes as number[]))
  if (fromStart && toEnd) return (value) => value === text
  if (fromStart) return (value) => value.startsWith(text)
  if (toEnd) return (value) => value.endsWith(text)
  return (value) => value.includes(text)
}

const isLook = (node: Node | undefined, look: string): boolean => node?.kind === 'look' && node.look === look

const onlyByte = (node: Node): number | undefined => {
  const runs = node.kind === 'set' ? runsOf(node.set) : []
  const [only] = runs
  return only && runs.length === 1 && only[0] === only[1] ? only[0] : undefined
}

const flat = (node: Node): readonly Node[] => {
  if (node.kind === 'capture') return flat(node.item)
  return node.kind === 'concat' ? node.items.flatMap(flat) : [node]
}

/**
 * The same pattern for the question "is there a match": without what may match nothing at an open end. `.*bot.*` finds
 * what `bot` finds, `\d+x` what `\dx` finds, because a search may begin and end anywhere.
 */
const slimmed = (root: Node): Node => {
  const items = [...flat(root)]
  for (let first = items[0]; first?.kind === 'repeat'; first = items[0]) {
    const least = leastOf(first)
    if (!least) items.shift()
    else {
      items[0] = least
      break
    }
  }
  for (let last = items.at(-1); last?.kind === 'repeat'; last = items.at(-1)) {
    const least = leastOf(last)
    if (!least) items.pop()
    else {
      items[items.length - 1] = least
      break
    }
  }
  return { kind: 'concat', items }
}

/** A repetition cut down to its fewest rounds; nothing when that is none. */
const leastOf = (node: Node & { kind: 'repeat' }): Node | undefined => {
  if (node.min === 0) return undefined
  return node.min === 1 ? node.item : { ...node, max: node.min }
}

/** V8 forgets a group's text when a loop goes round again, Rust and RE2 keep the last one. */
const capturesInRepeats = (node: Node, inside = false): boolean => {
  switch (node.kind) {
    case 'set':
    case 'look':
      return false
    case 'capture':
      return inside || capturesInRepeats(node.item, inside)
    case 'repeat':
      return capturesInRepeats(node.item, true)
    default:
      return node.items.some((item) => capturesInRepeats(item, inside))
  }
}
