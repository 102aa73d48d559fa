/**
 * Changes to the list of rules of one ruleset, as pure functions from the old list to the new one. A rule keeps its id and
 * ref as long as it lives; its version rises when its definition changes, never because it moved.
 */
import { isDeepStrictEqual } from 'node:util'
import { accept, type Judged, judgedBy, type Reason, reject } from '../base/index.ts'
import type { Rule, RuleDefinition } from './ruleset.ts'
import { isObject, placeIn } from './shape.ts'

/** A rule as a caller sends it: who it is, if it is someone already, and what it shall be, if that changes. */
export type RuleDraft = { readonly id?: string; readonly ref?: string; readonly definition?: RuleDefinition }

/** Exactly one of the three; an empty `before` is the first place, an empty `after` the last, `index` counts from 1. */
export type Position = { readonly before?: string; readonly after?: string; readonly index?: number }

/** What an edit needs from outside: ids for new rules and the time it happens. */
export type EditNeeds = { newId(draft: RuleDraft): string; readonly at: string }

/** The whole list anew. Sent rules are known again by id, else by ref; rules that are not mentioned are gone. */
export function replaceRules(needs: EditNeeds, rules: readonly Rule[], drafts: readonly RuleDraft[]): Judged<Rule[]> {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const byRef = new Map(rules.map((rule) => [rule.ref, rule]))
  const reasons: Reason[] = []
  const taken = new Set<string>()
  const next = drafts.flatMap((draft, index) => {
    const place = placeIn(reasons, `/rules/${index}`)
    const known = draft.id === undefined ? byRef.get(draft.ref ?? '') : byId.get(draft.id)
    if (draft.id !== undefined && !known) return place.at('id').refuse(draft.id, 'the ruleset has no such rule') ?? []
    if (known && taken.has(known.id))
      return place.at(draft.id === undefined ? 'ref' : 'id').refuse(draft.id ?? draft.ref, twice) ?? []
    if (known) taken.add(known.id)
    return [known ? changed(needs, known, draft) : born(needs, draft)]
  })
  judgeRefs(next, drafts, reasons)
  return judgedBy(reasons, () => next)
}

const twice = 'more than one rule in the request is this rule'

function judgeRefs(rules: readonly Rule[], drafts: readonly RuleDraft[], reasons: Reason[]): void {
  const seen = new Set<string>()
  for (const { ref } of rules) {
    if (seen.has(ref)) {
      const index = drafts.findLastIndex((draft) => draft.ref === ref)
      placeIn(reasons, `/rules/${index}/ref`, 'ref').refuse(ref, 'it is not unique in the ruleset')
    }
    seen.add(ref)
  }
}

/** One rule more, at the end unless a position says where. */
export function addRule(
  needs: EditNeeds,
  rules: readonly Rule[],
  draft: RuleDraft,
  position?: Position,
): Judged<Rule[]> {
  if (draft.ref !== undefined && rules.some((rule) => rule.ref === draft.ref))
    return reject({
      message: `'${draft.ref}' is not a valid value for ref because it is not unique in the ruleset`,
      pointer: '/ref',
    })
  return place(rules, born(needs, draft), position ?? { after: '' })
}

/**
 * The body of a patch made whole: what it does not say stays as it was. Documented clients always send the whole
 * definition; people who want to switch one rule off do not. Parameters go with their action.
 */
export function completed(body: unknown, old: Rule): unknown {
  if (!isObject(body) || ('action' in body && 'expression' in body)) return body
  const { position: _, ...said } = body
  if (Object.keys(said).length === 0) return body
  const { action_parameters, logging, ...rest } = definitionOf(old)
  const ofAction = { ...(action_parameters ? { action_parameters } : {}), ...(logging ? { logging } : {}) }
  const isSameAction = !('action' in body) || body.action === old.action
  return { ...rest, ...(isSameAction ? ofAction : {}), ...body }
}

/** One rule's definition, its position, or both. Undefined when there is no such rule. */
export function patchRule(
  needs: EditNeeds,
  rules: readonly Rule[],
  id: string,
  draft: RuleDraft,
  position?: Position,
): Judged<Rule[]> | undefined {
  const index = rules.findIndex((rule) => rule.id === id)
  const old = rules[index]
  if (!old) return undefined
  const others = rules.toSpliced(index, 1)
  if (draft.ref !== undefined && others.some((rule) => rule.ref === draft.ref))
    return reject({
      message: `'${draft.ref}' is not a valid value for ref because it is not unique in the ruleset`,
      pointer: '/ref',
    })
  const rule = changed(needs, old, draft)
  return position === undefined ? accept(rules.with(index, rule)) : place(others, rule, position)
}

/** The list without one rule. Undefined when there is no such rule. */
export function deleteRule(rules: readonly Rule[], id: string): Rule[] | undefined {
  const left = rules.filter((rule) => rule.id !== id)
  return left.length === rules.length ? undefined : left
}

/** A rule among the others, it being out of the list: so moving the first of (1 2 3 4) to index 3 gives 2 3 1 4. */
function place(others: readonly Rule[], rule: Rule, position: Position): Judged<Rule[]> {
  const index = indexOf(others, position)
  return index.ok ? accept(others.toSpliced(index.value, 0, rule)) : index
}

function indexOf(others: readonly Rule[], { before, after, index }: Position): Judged<number> {
  if (index !== undefined) {
    if (Number.isInteger(index) && index >= 1 && index <= others.length + 1) return accept(index - 1)
    return reject({
      message: `'${index}' is not a valid value for index because it is not between 1 and ${others.length + 1}`,
      pointer: '/position/index',
    })
  }
  if (before === '') return accept(0)
  if (after === '') return accept(others.length)
  const found = others.findIndex((rule) => rule.id === (before ?? after))
  const key = before === undefined ? 'after' : 'before'
  if (found === -1)
    return reject({
      message: `'${before ?? after}' is not a valid value for ${key} because no other rule of the ruleset has this id`,
      pointer: `/position/${key}`,
    })
  return accept(before === undefined ? found + 1 : found)
}

function born({ newId, at }: EditNeeds, draft: RuleDraft): Rule {
  const { ref, definition } = draft
  if (!definition) throw new Error('a rule that is not known yet needs a definition')
  const id = newId(draft)
  return { id, version: '1', ref: ref ?? id, ...definition, last_updated: at }
}

function changed({ at }: EditNeeds, old: Rule, { ref = old.ref, definition }: RuleDraft): Rule {
  const next = { ref, ...(definition ?? definitionOf(old)) }
  if (isDeepStrictEqual(next, { ref: old.ref, ...definitionOf(old) })) return old
  const { ref: nextRef, ...nextDefinition } = next
  return { id: old.id, version: String(Number(old.version) + 1), ref: nextRef, ...nextDefinition, last_updated: at }
}

function definitionOf({
  id: _id,
  version: _version,
  ref: _ref,
  last_updated: _at,
  ...definition
}: Rule): RuleDefinition {
  return definition
}
