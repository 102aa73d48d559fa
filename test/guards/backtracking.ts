/**
 * What a regular expression costs an engine that backtracks, as V8's does: steps are counted, not timed. For each
 * repetition it makes texts that go round it again and again and then fail, and sees how the steps grow with them.
 */

type Node =
  | { readonly kind: 'set'; readonly has: (char: string) => boolean }
  | { readonly kind: 'edge'; readonly holds: (text: string, at: number) => boolean }
  | { readonly kind: 'look'; readonly item: Node; readonly isAhead: boolean; readonly isNot: boolean }
  | { readonly kind: 'concat' | 'alternate'; readonly items: readonly Node[] }
  | {
      readonly kind: 'repeat'
      readonly item: Node
      readonly min: number
      readonly max: number
      readonly isLazy: boolean
    }
type Repeat = Extract<Node, { kind: 'repeat' }>

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/.test(char)

/** Reads what JavaScript reads, but for references back to a group, which nobody here uses. */
export function parse(source: string, flags: string): Node {
  let at = 0
  const eat = (pattern: RegExp): RegExpExecArray | null => {
    const found = new RegExp(pattern.source, 'uy')
    found.lastIndex = at
    const match = found.exec(source)
    if (match) at += match[0].length
    return match
  }
  const charFlags = flags.replaceAll(/[gymd]/g, '')
  const setOf = (atom: string): Node => {
    const one = new RegExp(`^${atom}$`, charFlags)
    const known = new Map<string, boolean>()
    return {
      kind: 'set',
      has: (char) => {
        const before = known.get(char)
        if (before !== undefined) return before
        const has = one.test(char)
        known.set(char, has)
        return has
      },
    }
  }
  const isMultiline = flags.includes('m')
  const readAtom = (): Node => {
    const group = eat(/\((?:\?(?:([:=!])|(<[=!])|<\w+>))?/)
    if (group) {
      const item = readAlternate()
      eat(/\)/)
      const look = group[1] === ':' ? undefined : (group[1] ?? group[2])
      return look === undefined
        ? item
        : { kind: 'look', item, isAhead: !look.startsWith('<'), isNot: look.endsWith('!') }
    }
    if (eat(/\^/)) return { kind: 'edge', holds: (text, i) => i === 0 || (isMultiline && text[i - 1] === '\n') }
    if (eat(/\$/)) return { kind: 'edge', holds: (text, i) => i === text.length || (isMultiline && text[i] === '\n') }
    const border = eat(/\\[bB]/)
    if (border) {
      const isBorder = border[0] === '\\b'
      return { kind: 'edge', holds: (text, i) => (isWord(text[i - 1]) !== isWord(text[i])) === isBorder }
    }
    const atom = eat(
      /\[(?:[^\]\\]|\\.)*\]|\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|[pP]\{[^}]*\}|.)|[^\\[\]()|*+?^$]/,
    )
    if (!atom) throw new Error(`cannot read ${source} at ${at}`)
    return setOf(atom[0])
  }
  const readConcat = (): Node => {
    const items: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const item = readAtom()
      const count = eat(/(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/)
      if (!count) {
        items.push(item)
        continue
      }
      const [, sign, from, comma, to, lazy] = count
      const min = sign ? Number(sign === '+') : Number(from)
      const bounded = sign ? sign === '?' && 1 : (!comma && min) || (to !== '' && Number(to))
      const max = bounded === false ? Number.POSITIVE_INFINITY : Number(bounded)
      items.push({ kind: 'repeat', item, min, max, isLazy: lazy === '?' })
    }
    return { kind: 'concat', items }
  }
  const readAlternate = (): Node => {
    const items = [readConcat()]
    while (eat(/\|/)) items.push(readConcat())
    return items.length === 1 ? (items[0] as Node) : { kind: 'alternate', items }
  }
  return readAlternate()
}

class TooMany extends Error {}

/** Far more than a pattern needs that goes over a few hundred signs once, however long it is. */
const mostSteps = 300_000

/** Steps of a search through the whole text; with `g` of all searches, one behind the other. */
export function countSteps(root: Node, flags: string, text: string): number {
  let steps = 0
  const match = (node: Node, i: number, then: (at: number) => boolean): boolean => {
    steps += 1
    if (steps > mostSteps) throw new TooMany()
    switch (node.kind) {
      case 'set':
        return i < text.length && node.has(text[i] as string) && then(i + 1)
      case 'edge':
        return node.holds(text, i) && then(i)
      case 'look': {
        const found = node.isAhead
          ? match(node.item, i, () => true)
          : Array.from({ length: i + 1 }, (_, back) => i - back)
              .slice(0, 10)
              .some((from) => match(node.item, from, (end) => end === i))
        return found !== node.isNot && then(i)
      }
      case 'concat': {
        const from = (index: number, j: number): boolean => {
          const item = node.items[index]
          return item ? match(item, j, (k) => from(index + 1, k)) : then(j)
        }
        return from(0, i)
      }
      case 'alternate':
        return node.items.some((item) => match(item, i, then))
      case 'repeat': {
        const round = (count: number, j: number): boolean => {
          const again = () =>
            count < node.max && match(node.item, j, (k) => (k > j || count < node.min) && round(count + 1, k))
          const onward = () => count >= node.min && then(j)
          return node.isLazy ? onward() || again() : again() || onward()
        }
        return round(0, i)
      }
    }
  }
  try {
    for (let start = 0; start <= text.length; start += 1) {
      let end = -1
      match(root, start, (at) => {
        end = at
        return true
      })
      if (end === -1 && !flags.includes('y')) continue
      if (end === -1 || !flags.includes('g')) break
      start = Math.max(start, end - 1)
    }
  } catch (error) {
    if (!(error instanceof TooMany)) throw error
    return Number.POSITIVE_INFINITY
  }
  return steps
}

const alphabet = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  '\u0085',
  '\u00e9',
  '\u2028',
  '\u4e00',
  '\uac00',
]

const childrenOf = (node: Node): readonly Node[] => {
  if (node.kind === 'concat' || node.kind === 'alternate') return node.items
  return node.kind === 'repeat' || node.kind === 'look' ? [node.item] : []
}

const ways = (node: Node): readonly Node[] => (node.kind === 'alternate' ? node.items : [node])

const all = (node: Node): readonly Node[] => [node, ...childrenOf(node).flatMap(all)]

/** Texts of about `length` signs, each of which keeps one of the repetitions busy. */
function* attacks(root: Node, length: number): Generator<string> {
  const nodes = all(root)
  const loops = nodes.filter((node): node is Repeat => node.kind === 'repeat' && node.max > 20)
  if (loops.length === 0) return
  const sets = nodes.filter((node) => node.kind === 'set')
  // Signs that the same sets take are as good as one another.
  const kinds = new Map(alphabet.map((char) => [sets.map((set) => Number(set.has(char))).join(''), char]))
  const signs = [...kinds.values()]
  const lowest = (node: Node, sign?: string): string => {
    switch (node.kind) {
      case 'set':
        return sign !== undefined && node.has(sign) ? sign : (signs.find(node.has) ?? '')
      case 'edge':
      case 'look':
        return ''
      case 'concat':
        return node.items.map((item) => lowest(item, sign)).join('')
      case 'alternate':
        return lowest(node.items[0] as Node, sign)
      case 'repeat':
        return lowest(node.item, sign).repeat(node.min)
    }
  }
  /** What leads to a repetition, with as little as possible. */
  const before = (node: Node, target: Repeat): string | undefined => {
    if (node === target) return ''
    if (node.kind === 'concat') {
      for (const [index, item] of node.items.entries()) {
        const inside = before(item, target)
        if (inside !== undefined)
          return (
            node.items
              .slice(0, index)
              .map((each) => lowest(each))
              .join('') + inside
          )
      }
      return undefined
    }
    return childrenOf(node)
      .map((child) => before(child, target))
      .find((found) => found !== undefined)
  }
  for (const loop of loops) {
    const prefix = before(root, loop) ?? ''
    const rounds = new Set(ways(loop.item).flatMap((way) => signs.map((sign) => lowest(way, sign))))
    rounds.delete('')
    for (const round of [...rounds].slice(0, 10)) {
      const pump = round.repeat(Math.ceil(length / round.length))
      for (const lead of new Set([prefix, ''])) for (const end of signs) yield lead + pump + end
      for (const other of signs) yield prefix + (round + other).repeat(Math.ceil(length / (round.length + 1)))
    }
  }
}

/** A text on which a pattern costs three times as much and more when it is twice as long, where 2 is linear; and how much. */
export function slowOn(source: string, flags: string): { readonly text: string; readonly growth: number } | undefined {
  const root = parse(source, flags)
  const lengths = [60, 120, 240, 480].map((length) => attacks(root, length))
  for (;;) {
    const [text, ...longer] = lengths.map((each) => each.next().value)
    if (!text) return undefined
    let growth = Number.POSITIVE_INFINITY
    let before = countSteps(root, flags, text)
    // Each time: what a count like `{1,128}` bounds grows only until it is full.
    for (const next of longer) {
      const steps = countSteps(root, flags, next ?? '')
      growth = steps === Number.POSITIVE_INFINITY ? growth : Math.min(growth, steps / before)
      if (growth < 3 || steps === Number.POSITIVE_INFINITY) break
      before = steps
    }
    if (growth >= 3) return { text, growth }
  }
}
