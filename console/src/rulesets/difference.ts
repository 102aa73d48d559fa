/** What two lists of rules do not have in common, rule by rule and member by member. */
import type { RuleBody } from './ruleset.ts'

export type MemberChange = { readonly member: string; readonly before: string; readonly after: string }

export type RuleChange = {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved'
  readonly rule: RuleBody
  /** Places from 1; absent where the rule was not, or is no longer. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly members: readonly MemberChange[]
}

/** Rules are the same rule when they have the same id, or the same ref. */
export function differenceOf(before: readonly RuleBody[], after: readonly RuleBody[]): readonly RuleChange[] {
  const match = (rule: RuleBody, among: readonly RuleBody[]) =>
    among.findIndex(
      (other) => (rule.id !== undefined && other.id === rule.id) || (rule.ref !== undefined && other.ref === rule.ref),
    )
  const kept = after.flatMap((rule, to) => {
    const from = match(rule, before)
    return from === -1 ? [] : [{ from, to }]
  })
  const stayed = longestGrowing(kept.map(({ from }) => from))
  const removed = before.flatMap((rule, from): RuleChange[] =>
    match(rule, after) === -1 ? [{ kind: 'removed', rule, from: from + 1, to: undefined, members: [] }] : [],
  )
  const others = after.flatMap((rule, to): RuleChange[] => {
    const from = match(rule, before)
    const old = before[from]
    if (!old) return [{ kind: 'added', rule, from: undefined, to: to + 1, members: [] }]
    const members = membersChanged(old, rule)
    const places = { rule, from: from + 1, to: to + 1, members }
    if (members.length > 0) return [{ kind: 'changed', ...places }]
    return stayed.has(from) ? [] : [{ kind: 'moved', ...places }]
  })
  return [...removed, ...others]
}

function membersChanged(before: RuleBody, after: RuleBody): MemberChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const name of ['id', 'ref', 'version', 'last_updated']) names.delete(name)
  return [...names].flatMap((member) => {
    const [old, now] = [show(before[member]), show(after[member])]
    return old === now ? [] : [{ member, before: old, after: now }]
  })
}

const show = (value: unknown): string => {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** The rules that need not be called moved: a longest run of places that only grow. */
function longestGrowing(places: readonly number[]): ReadonlySet<number> {
  const best: { readonly length: number; readonly before: number }[] = []
  for (const [at, place] of places.entries()) {
    let longest = { length: 1, before: -1 }
    for (let earlier = 0; earlier < at; earlier++) {
      const run = best[earlier]
      if ((places[earlier] ?? 0) < place && run && run.length + 1 > longest.length)
        longest = { length: run.length + 1, before: earlier }
    }
    best.push(longest)
  }
  const members = new Set<number>()
  let at = best.findIndex(({ length }) => length === Math.max(...best.map((one) => one.length)))
  while (at >= 0) {
    const place = places[at]
    if (place !== undefined) members.add(place)
    at = best[at]?.before ?? -1
  }
  return members
}
