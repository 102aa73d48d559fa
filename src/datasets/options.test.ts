import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { datasets, judgeOptions, printOptions, type Selection, timestampFormats } from './index.ts'

const aDataset = fc.constantFrom(...datasets)
const aSelection = aDataset.chain((dataset) =>
  fc.record({
    dataset: fc.constant(dataset),
    selection: fc.record(
      {
        fields: fc.shuffledSubarray(
          dataset.fields.map((field) => field.name),
          { minLength: 1 },
        ),
        sample: fc.double({ min: 0.001, max: 1, noNaN: true }),
        timestamps: fc.constantFrom(...timestampFormats),
        redact: fc.boolean(),
        output: fc.constant({ type: 'ndjson' } as const),
        compression: fc.constant('gzip' as const),
        filter: fc.constant(null),
      },
      { noNullPrototype: true },
    ) satisfies fc.Arbitrary<Selection>,
  }),
)

test('what is printed is judged to mean the same selection', () => {
  fc.assert(
    fc.property(aSelection, ({ dataset, selection }) => {
      const text = printOptions(selection)
      for (const spelling of [
        text,
        `https://api.example/v4/zones/1/logs/received?${text}`,
        text.replaceAll(',', '%2c'),
      ])
        assert.deepEqual(judgeOptions(spelling, dataset), { ok: true, value: selection })
    }),
  )
})

test('any sample outside 0.001 to 1 is refused', () => {
  const outside = fc.oneof(
    fc.double({ max: 0.001, maxExcluded: true, noNaN: true }),
    fc.double({ min: 1, minExcluded: true, noNaN: true }),
  )
  fc.assert(fc.property(aDataset, outside, (dataset, sample) => !judgeOptions(`sample=${sample}`, dataset).ok))
})

test('any text is either understood or refused with a reason that points into it', () => {
  const odd = fc.string({
    unit: fc.constantFrom('fields', 'sample', '=', '&', ',', '%', '%2C', '?', 'RayID', 'é', '\0', '1'),
  })
  fc.assert(
    fc.property(aDataset, fc.oneof(odd, fc.string({ unit: 'binary' })), (dataset, text) => {
      const judged = judgeOptions(text, dataset)
      if (judged.ok) return
      assert.ok(judged.reasons.length > 0)
      for (const { message } of judged.reasons) {
        const place = Number(/\(character (\d+)\)$/.exec(message)?.[1])
        assert.ok(place >= 1 && place <= text.length + 1, message)
      }
    }),
  )
})

test('parameters that log fetch judges itself are passed over', () => {
  const [dataset] = datasets
  assert.ok(dataset)
  const query = 'start=1&sample=0.5&end=%zz&count=7'
  assert.equal(judgeOptions(query, dataset).ok, false)
  const judged = judgeOptions(query, dataset, ['start', 'end', 'count'])
  assert.equal(judged.ok && judged.value.sample, 0.5)
})

test('options longer than 4096 characters are refused unread', () => {
  const [dataset] = datasets
  assert.ok(dataset)
  assert.equal(judgeOptions(`fields=${'a,'.repeat(3000)}`, dataset).ok, false)
})
