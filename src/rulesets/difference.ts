/** What changed between two lists of rules: for the audit log, and for people who want to see it before they deploy. */
import { isDeepStrictEqual } from 'node:util'
import type { Rule } from './ruleset.ts'

export type Difference = {
  readonly added: readonly Rule[]
  readonly removed: readonly Rule[]
  /** Per rule only the members that differ, as they were and as they are. */
  readonly changed: readonly { readonly id: string; readonly from: Partial<Rule>; readonly to: Partial<Rule> }[]
  /** The fewest rules that, moved, give the new order; places count from 1. */
  readonly moved: readonly { readonly id: string; readonly from: number; readonly to: number }[]
}

export function difference(before: readonly Rule[], after: readonly Rule[]): Difference {
  const old = new Map(before.map((rule, index) => [rule.id, { rule, index }]))
  const kept = new Set(after.map((rule) => rule.id))
  const shared = after.filter((rule) => old.has(rule.id))
  const places = shared.map((rule) => old.get(rule.id)?.index ?? -1)
  const inOrder = longestRise(places)
  return {
    added: after.filter((rule) => !old.has(rule.id)),
    removed: before.filter((rule) => !kept.has(rule.id)),
    changed: shared.flatMap((rule) => changes(old.get(rule.id)?.rule ?? rule, rule)),
    moved: shared.flatMap((rule, at) =>
      inOrder.has(at) ? [] : [{ id: rule.id, from: (places[at] ?? 0) + 1, to: after.indexOf(rule) + 1 }],
    ),
  }
}

const notTold = new Set(['id', 'version', 'last_updated'])

function changes(from: Rule, to: Rule): Difference['changed'] {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])] as (keyof Rule)[]
  const differing = keys.filter((key) => !notTold.has(key) && !isDeepStrictEqual(from[key], to[key]))
  if (differing.length === 0) return []
  const pick = (rule: Rule): Partial<Rule> =>
    Object.fromEntries(differing.filter((key) => rule[key] !== undefined).map((key) => [key, rule[key]]))
  return [{ id: to.id, from: pick(from), to: pick(to) }]
}

/** The indexes of one longest rising run (not necessarily adjacent): all else has moved. */
function longestRise(numbers: readonly number[]): Set<number> {
  // tails[n] is the index of the smallest number that ends a rise of n + 1 members; before[] leads back along it.
  const tails: number[] = []
  const before: number[] = []
  for (const [at, number] of numbers.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[tails[middle] ?? 0] ?? 0) < number) low = middle + 1
      else high = middle
    }
    before[at] = tails[low - 1] ?? -1
    tails[low] = at
  }
  const rise = new Set<number>()
  for (let at = tails.at(-1) ?? -1; at !== -1; at = before[at] ?? -1) rise.add(at)
  return rise
}
