import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchesFilter } from '../../test/matches.ts'
import { type Dataset, datasets, type Field, type FilterOperator, judgeFilter, operatorsFor } from './index.ts'

const requests = datasets.find((dataset) => dataset.name === 'http_requests')
assert.ok(requests)

/** A value that the operator takes for this field, as a person would write it. */
function aValue(field: Field, operator: FilterOperator): fc.Arbitrary<unknown> {
  const scalars = {
    string: fc.string({ maxLength: 8, unit: 'grapheme' }),
    int: fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    bool: fc.boolean(),
  }
  const type = field.type === 'array' ? field.items : field.type
  const scalar: fc.Arbitrary<unknown> = scalars[type as keyof typeof scalars]
  return operator.endsWith('in') ? fc.array(scalar, { minLength: 1, maxLength: 3 }) : scalar
}

const aCondition = (dataset: Dataset) =>
  fc
    .constantFrom(...dataset.fields.filter((field) => field.filterable))
    .chain((field) => fc.tuple(fc.constant(field), fc.constantFrom(...operatorsFor(field))))
    .chain(([field, operator]) =>
      aValue(field, operator).map((value) => ({ key: field.name, operator: operator as string, value })),
    )

test('every operator is accepted on every filterable field of every dataset', () => {
  for (const dataset of datasets)
    for (const field of dataset.fields)
      for (const operator of operatorsFor(field)) {
        const [value] = fc.sample(aValue(field, operator), { numRuns: 1, seed: 1 })
        const judged = judgeFilter(JSON.stringify({ where: { key: field.name, operator, value } }), dataset)
        assert.ok(judged.ok, `${dataset.name} ${field.name} ${operator}: ${JSON.stringify(judged)}`)
      }
})

test('a condition and its opposite never keep the same record', () => {
  const record = { ClientIP: '192.0.2.10', EdgeResponseStatus: 503, BotTags: ['api'], CacheTieredFill: true }
  fc.assert(
    fc.property(
      aCondition(requests).filter((condition) =>
        operatorsFor(field(condition.key)).some((each) => each === `!${condition.operator}`),
      ),
      (condition) => {
        const opposite = { ...condition, operator: `!${condition.operator}` }
        const [plain, negated] = [condition, opposite].map((where) => judgeFilter(JSON.stringify({ where }), requests))
        assert.ok(plain?.ok && negated?.ok)
        assert.notEqual(matchesFilter(plain.value, record), matchesFilter(negated.value, record))
      },
    ),
  )
})

test('a filter keeps what it says', () => {
  const record = {
    ClientIP: '192.0.2.10',
    EdgeResponseStatus: 503n,
    EdgeStartTimestamp: 1650000000123456789n,
    BotTags: ['api', 'search'],
    BotDetectionIDs: [7n, 33554817n],
    CacheTieredFill: true,
  }
  const kept: [string, string, unknown, boolean][] = [
    ['ClientIP', 'eq', '192.0.2.10', true],
    ['ClientIP', 'startsWith', '192.0.2.', true],
    ['ClientIP', '!endsWith', '.10', false],
    ['ClientIP', 'in', ['a', '192.0.2.10'], true],
    ['ClientCountry', 'eq', '', true],
    ['EdgeResponseStatus', 'geq', 503, true],
    ['EdgeResponseStatus', 'lt', '503', false],
    ['EdgeStartTimestamp', 'gt', '1650000000123456788', true],
    ['EdgeStartTimestamp', 'eq', '1650000000123456788', false],
    ['BotTags', 'contains', 'api', true],
    ['BotTags', 'contains', 'ap', false],
    ['BotDetectionIDs', 'contains', 33554817, true],
    ['CacheTieredFill', '!eq', true, false],
    ['ClientASN', 'eq', 0, true],
  ]
  for (const [key, operator, value, expected] of kept) {
    const judged = judgeFilter(JSON.stringify({ where: { key, operator, value } }), requests)
    assert.ok(judged.ok)
    assert.equal(matchesFilter(judged.value, record), expected, `${key} ${operator} ${value}`)
  }
})

test('any JSON is either a filter or refused with pointers', () => {
  const leaf = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('RayID', 'ClientASN', 'eq', 'lt', 'in'))
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.record({ key: leaf, operator: leaf, value: leaf }, { requiredKeys: [] }),
      fc.record({ and: fc.array(tie('node'), { maxLength: 3 }) }),
      fc.record({ or: fc.oneof(leaf, fc.array(tie('node'), { maxLength: 3 })) }),
    ),
  }))
  fc.assert(
    fc.property(node, (where) => {
      const judged = judgeFilter(JSON.stringify({ where }), requests)
      if (!judged.ok)
        assert.ok(judged.reasons.every((each) => each.pointer?.startsWith('/where') ?? /bytes/.test(each.message)))
    }),
  )
})

const field = (name: string): Field => requests.fields.find((each) => each.name === name) as Field

test('the spellings of instant logs mean those of jobs, and only where they are asked for', () => {
  const instant = (key: string, operator: string, value: unknown) => JSON.stringify({ where: { key, operator, value } })
  const pairs: [string, string][] = [
    [instant('ClientCountry', 'neq', 'ca'), instant('ClientCountry', '!eq', 'ca')],
    [instant('EdgeResponseStatus', 'in', '200, 201'), instant('EdgeResponseStatus', 'in', [200, 201])],
    [instant('ClientCountry', 'not in', 'ca,us'), instant('ClientCountry', '!in', ['ca', 'us'])],
    [
      instant('EdgeStartTimestamp', 'gt', '1650000000123456789'),
      instant('EdgeStartTimestamp', 'gt', '1650000000123456789'),
    ],
  ]
  for (const [theirs, ours] of pairs)
    assert.deepEqual(judgeFilter(theirs, requests, 'instant'), judgeFilter(ours, requests))
  for (const [theirs] of pairs.slice(0, 3)) assert.equal(judgeFilter(theirs, requests).ok, false)
})
