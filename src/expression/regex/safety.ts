/**
 * Which patterns V8's backtracking engine may run. It is thirty times faster than an RE2 in JavaScript, but some
 * patterns make it take quadratic or exponential time. Those it may have are proven here to cost at most a small
 * constant per byte of the value; all others go to RE2.
 *
 * The proof, for a search from every place of a value:
 *  1. Only single sets repeat without end (`\d+`, `[^/]*`), never groups.
 *  2. What follows such a loop cannot begin with a byte of the loop, so a failed try gives back what it took only once.
 *     (One loop may break this when the pattern is anchored at the start and nothing behind it loops.)
 *  3. No byte of a loop can begin the pattern, so a place inside a loop's run is never another place to start from.
 *  4. Everything else has a bounded length and a bounded number of ways to match, and their product is small.
 */
import { type ByteSet, noBytes } from './byte-set.ts'
import type { Node } from './syntax.ts'

/** Steps that one starting place may cost, loops apart. */
const mostSteps = 2000

type Shape = { readonly length: number; readonly ways: number; readonly loops: readonly Loop[] }
type Loop = { readonly set: ByteSet; readonly isClear: boolean }

export const isSafeForV8 = (root: Node): boolean => {
  const shape = shapeOf(root, noBytes)
  if (!shape || shape.length * shape.ways > mostSteps) return false
  if (isAnchored(root)) {
    const unclear = shape.loops.findIndex((loop) => !loop.isClear)
    return unclear === -1 || (unclear === shape.loops.length - 1 && shape.ways === 1)
  }
  const begins = firstOf(root, noBytes)
  return shape.loops.every((loop) => loop.isClear && (loop.set & begins) === noBytes)
}

const isAnchored = (node: Node): boolean => {
  if (node.kind === 'look') return node.look === 'start'
  if (node.kind === 'capture') return isAnchored(node.item)
  return node.kind === 'concat' && node.items[0] !== undefined && isAnchored(node.items[0])
}

/** The bytes a node may begin with, `follow` being those that may come behind it. */
const firstOf = (node: Node, follow: ByteSet): ByteSet => {
  switch (node.kind) {
    case 'set':
      return node.set
    case 'look':
      return follow
    case 'capture':
      return firstOf(node.item, follow)
    case 'concat':
      return node.items.reduceRight((behind, item) => firstOf(item, behind), follow)
    case 'alternate':
      return node.items.reduce((all, item) => all | firstOf(item, follow), noBytes)
    case 'repeat': {
      const once = firstOf(node.item, follow)
      return node.min === 0 ? once | follow : once
    }
  }
}

/** Nothing for a node that breaks rule 1. */
const shapeOf = (node: Node, follow: ByteSet): Shape | undefined => {
  switch (node.kind) {
    case 'set':
      return { length: 1, ways: 1, loops: [] }
    case 'look':
      return { length: 0, ways: 1, loops: [] }
    case 'capture':
      return shapeOf(node.item, follow)
    case 'concat':
      return shapeOfConcat(node.items, follow)
    case 'alternate':
      return shapeOfAlternate(node.items, follow)
    case 'repeat':
      return shapeOfRepeat(node, follow)
  }
}

const shapeOfConcat = (items: readonly Node[], follow: ByteSet): Shape | undefined => {
  let behind = follow
  let shape: Shape = { length: 0, ways: 1, loops: [] }
  for (const item of items.toReversed()) {
    const here = shapeOf(item, behind)
    if (!here) return undefined
    shape = {
      length: shape.length + here.length,
      ways: shape.ways * here.ways,
      loops: [...here.loops, ...shape.loops],
    }
    behind = firstOf(item, behind)
  }
  return shape
}

const shapeOfAlternate = (items: readonly Node[], follow: ByteSet): Shape | undefined => {
  const shapes = items.map((item) => shapeOf(item, follow))
  if (shapes.includes(undefined)) return undefined
  const known = shapes as Shape[]
  const ways = known.map((shape) => shape.ways)
  return {
    length: Math.max(...known.map((shape) => shape.length)),
    ways: arePairwiseApart(items, follow) ? Math.max(...ways) : ways.reduce((sum, each) => sum + each, 0),
    loops: known.flatMap((shape) => shape.loops),
  }
}

const arePairwiseApart = (items: readonly Node[], follow: ByteSet): boolean => {
  let seen = noBytes
  for (const item of items) {
    const first = firstOf(item, follow)
    if ((first & seen) !== noBytes) return false
    seen |= first
  }
  return true
}

const shapeOfRepeat = (node: Node & { kind: 'repeat' }, follow: ByteSet): Shape | undefined => {
  const set = singleSet(node.item)
  const isClear = set !== undefined && (set & follow) === noBytes
  if (node.max === Number.POSITIVE_INFINITY) {
    return set === undefined ? undefined : { length: node.min, ways: 1, loops: [{ set, isClear }] }
  }
  if (isClear) return { length: node.max, ways: 1, loops: [] }
  const once = shapeOf(node.item, firstOf(node.item, follow) | follow)
  if (!once) return undefined
  return {
    length: once.length * node.max,
    ways: once.ways ** node.max * (node.max - node.min + 1),
    loops: Array.from({ length: Math.min(node.max, 2) }, () => once.loops).flat(),
  }
}

const singleSet = (node: Node): ByteSet | undefined => {
  if (node.kind === 'set') return node.set
  if (node.kind === 'capture') return singleSet(node.item)
  const [only, more] = node.kind === 'concat' ? node.items : []
  return only && !more ? singleSet(only) : undefined
}
