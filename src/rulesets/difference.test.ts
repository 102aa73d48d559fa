import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { difference } from './difference.ts'
import type { Rule } from './ruleset.ts'

const rule = (id: number, description = ''): Rule => ({
  id: String(id),
  ref: String(id),
  version: '1',
  last_updated: '',
  action: 'log',
  expression: 'true',
  description,
  enabled: true,
})

test('a rule moved over many others is the one that moved', () => {
  const { moved } = difference(
    [1, 2, 3, 4, 5].map((id) => rule(id)),
    [5, 1, 2, 3, 4].map((id) => rule(id)),
  )
  assert.deepEqual(moved, [{ id: '5', from: 5, to: 1 }])
})

test('only the members that differ are told, also those that came or went', () => {
  const { logging: _, ...plain } = { ...rule(1), logging: { enabled: true } }
  const { changed } = difference(
    [{ ...plain, logging: { enabled: true } }],
    [{ ...plain, description: 'new', version: '2' }],
  )
  assert.deepEqual(changed, [
    { id: '1', from: { description: '', logging: { enabled: true } }, to: { description: 'new' } },
  ])
})

test('the old list, with what was removed taken out, moved and added, is the new one', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 10 })
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const { added, removed, changed, moved } = difference(
        before.map((id) => rule(id)),
        after.map((id) => rule(id)),
      )
      assert.deepEqual(changed, [])
      assert.deepEqual(new Set(added.map(({ id }) => Number(id))), new Set(after).difference(new Set(before)))
      assert.deepEqual(new Set(removed.map(({ id }) => Number(id))), new Set(before).difference(new Set(after)))
      const still = (list: number[]) =>
        list.filter((id) => before.includes(id) && after.includes(id) && !moved.some((one) => one.id === String(id)))
      assert.deepEqual(still(before), still(after))
    }),
  )
})
