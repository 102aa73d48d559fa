import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addRule, deleteRule, type EditNeeds, type Position, patchRule, type RuleDraft, replaceRules } from './edit.ts'
import type { Rule, RuleDefinition } from './ruleset.ts'

const define = (description: string): RuleDefinition => ({
  action: 'block',
  expression: 'true',
  description,
  enabled: true,
})

/** Ids r1, r2, ... and times that tell which edit it was. */
function counting(): EditNeeds & { edit: number } {
  let last = 0
  return {
    edit: 0,
    newId: () => `r${++last}`,
    get at() {
      return `edit ${this.edit}`
    },
  }
}

const list = (...ids: number[]): Rule[] =>
  ids.map((id) => ({ id: `r${id}`, version: '1', ref: `r${id}`, ...define(`rule ${id}`), last_updated: 'before' }))

const order = (judged: ReturnType<typeof addRule> | undefined): string => {
  assert.ok(judged?.ok)
  return judged.value.map((rule) => rule.id).join(' ')
}

const pointers = (judged: ReturnType<typeof addRule> | undefined): (string | undefined)[] => {
  assert.ok(judged && !judged.ok)
  return judged.reasons.map((reason) => reason.pointer)
}

test('a moved rule is taken out first and then placed', () => {
  const needs = counting()
  const rules = list(1, 2, 3, 4)
  assert.equal(order(patchRule(needs, rules, 'r1', {}, { index: 3 })), 'r2 r3 r1 r4')
  assert.equal(order(patchRule(needs, rules, 'r2', {}, { after: 'r3' })), 'r1 r3 r2 r4')
  assert.equal(order(patchRule(needs, rules, 'r4', {}, { before: '' })), 'r4 r1 r2 r3')
  assert.equal(order(patchRule(needs, rules, 'r1', {}, { after: '' })), 'r2 r3 r4 r1')
  assert.equal(order(patchRule(needs, rules, 'r4', {}, { before: 'r2' })), 'r1 r4 r2 r3')
})

test('moving changes no version and no time', () => {
  const moved = patchRule(counting(), list(1, 2), 'r2', {}, { before: 'r1' })
  assert.ok(moved?.ok)
  assert.deepEqual(moved.value, list(2, 1))
})

test('a place that does not exist is refused with its pointer', () => {
  const needs = counting()
  const rules = list(1, 2, 3)
  assert.deepEqual(pointers(patchRule(needs, rules, 'r1', {}, { index: 4 })), ['/position/index'])
  assert.deepEqual(pointers(patchRule(needs, rules, 'r1', {}, { index: 0 })), ['/position/index'])
  assert.deepEqual(pointers(patchRule(needs, rules, 'r1', {}, { after: 'r1' })), ['/position/after'])
  assert.deepEqual(pointers(patchRule(needs, rules, 'r1', {}, { before: 'gone' })), ['/position/before'])
  assert.deepEqual(pointers(addRule(needs, rules, { definition: define('') }, { index: 5 })), ['/position/index'])
})

test('a new rule goes to the end, its ref is its id and its version is 1', () => {
  const added = addRule(counting(), [], { definition: define('first') })
  assert.ok(added.ok)
  assert.deepEqual(added.value, [{ id: 'r1', version: '1', ref: 'r1', ...define('first'), last_updated: 'edit 0' }])
})

test('a rule sent as its id alone is kept as it is', () => {
  const kept = replaceRules(counting(), list(1, 2), [{ id: 'r2' }])
  assert.ok(kept.ok)
  assert.deepEqual(kept.value, list(2))
})

test('a rule known by its ref keeps its id, and only a change raises its version', () => {
  const rules = list(1, 2)
  const replaced = replaceRules(counting(), rules, [
    { ref: 'r2', definition: define('changed') },
    { ref: 'r1', definition: define('rule 1') },
  ])
  assert.ok(replaced.ok)
  assert.deepEqual(
    replaced.value.map(({ id, version, last_updated }) => [id, version, last_updated]),
    [
      ['r2', '2', 'edit 0'],
      ['r1', '1', 'before'],
    ],
  )
})

test('unknown ids, one rule twice and one ref twice are refused, all at once', () => {
  const refused = replaceRules(counting(), list(1, 2), [
    { id: 'r1' },
    { id: 'gone', definition: define('') },
    { ref: 'r1', definition: define('') },
    { ref: 'same', definition: define('') },
    { ref: 'same', definition: define('') },
  ])
  assert.deepEqual(pointers(refused), ['/rules/1/id', '/rules/2/ref', '/rules/4/ref'])
})

test('a ref cannot be taken from another rule', () => {
  assert.deepEqual(pointers(patchRule(counting(), list(1, 2), 'r1', { ref: 'r2' })), ['/ref'])
  assert.deepEqual(pointers(addRule(counting(), list(1), { ref: 'r1', definition: define('') })), ['/ref'])
})

test('what is not there cannot be patched or deleted', () => {
  assert.equal(patchRule(counting(), list(1), 'gone', {}), undefined)
  assert.equal(deleteRule(list(1), 'gone'), undefined)
})

// The model: an array of names, each with the words last said about it. Everything else must follow from the edits.
type Model = { name: string; words: string; version: number }[]
type Step =
  | { do: 'add'; words: string; index: number | undefined }
  | { do: 'patch'; pick: number; words: string | undefined; index: number | undefined }
  | { do: 'delete'; pick: number }
  | { do: 'put'; keep: number[]; fresh: string[] }

const words = fc.constantFrom('a', 'b', 'c')
const place = fc.option(fc.nat(8), { nil: undefined })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), words, index: place }),
  fc.record({
    do: fc.constant('patch' as const),
    pick: fc.nat(),
    words: fc.option(words, { nil: undefined }),
    index: place,
  }),
  fc.record({ do: fc.constant('delete' as const), pick: fc.nat() }),
  fc.record({
    do: fc.constant('put' as const),
    keep: fc.array(fc.nat(), { maxLength: 4 }),
    fresh: fc.array(words, { maxLength: 2 }),
  }),
)

test('any sequence of edits leaves the list that a plain array would be', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const needs = counting()
      let rules: readonly Rule[] = []
      let model: Model = []
      for (const one of steps) {
        needs.edit++
        ;[rules, model] = apply(needs, rules, model, one)
        assert.deepEqual(
          rules.map((rule) => ({ name: rule.id, words: rule.description, version: Number(rule.version) })),
          model,
        )
        assert.equal(new Set(rules.map((rule) => rule.ref)).size, rules.length)
      }
    }),
  )
})

function apply(needs: EditNeeds, rules: readonly Rule[], model: Model, step: Step): [readonly Rule[], Model] {
  if (step.do === 'put') {
    const keep = [...new Set(step.keep.map((pick) => model[pick % model.length]).filter((one) => one !== undefined))]
    const drafts: RuleDraft[] = [
      ...keep.map(({ name }) => ({ id: name })),
      ...step.fresh.map((fresh) => ({ definition: define(fresh) })),
    ]
    const next = replaceRules(needs, rules, drafts)
    assert.ok(next.ok)
    const born = next.value
      .slice(keep.length)
      .map(({ id }, index) => ({ name: id, words: step.fresh[index]!, version: 1 }))
    return [next.value, [...keep, ...born]]
  }
  if (step.do === 'add') {
    const position: Position | undefined = step.index === undefined ? undefined : { index: step.index }
    const next = addRule(needs, rules, { definition: define(step.words) }, position)
    const index = step.index ?? model.length + 1
    if (index < 1 || index > model.length + 1) {
      assert.equal(next.ok, false)
      return [rules, model]
    }
    assert.ok(next.ok)
    return [
      next.value,
      model.toSpliced(index - 1, 0, { name: next.value[index - 1]!.id, words: step.words, version: 1 }),
    ]
  }
  const at = model.length === 0 ? -1 : step.pick % model.length
  const old = model[at]
  if (!old) return [rules, model]
  if (step.do === 'delete') return [deleteRule(rules, old.name)!, model.toSpliced(at, 1)]
  const draft = step.words === undefined ? {} : { definition: define(step.words) }
  const next = patchRule(needs, rules, old.name, draft, step.index === undefined ? undefined : { index: step.index })
  assert.ok(next)
  if (step.index !== undefined && (step.index < 1 || step.index > model.length)) {
    assert.equal(next.ok, false)
    return [rules, model]
  }
  assert.ok(next.ok)
  const isNew = step.words !== undefined && step.words !== old.words
  const changed = { ...old, words: step.words ?? old.words, version: old.version + (isNew ? 1 : 0) }
  const without = model.toSpliced(at, 1)
  return [next.value, without.toSpliced(step.index === undefined ? at : step.index - 1, 0, changed)]
}
