import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Dataset, datasets, type Field, findField, makeGenerator, toLine } from './index.ts'

const requests = datasets.find((dataset) => dataset.name === 'http_requests') as Dataset
const parse = (bytes: Buffer): Record<string, unknown>[] =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

function fits(value: unknown, type: Field['type'] | Field['items']): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'int') return typeof value === 'bigint' || Number.isInteger(value)
  if (type === 'float') return typeof value === 'number'
  return typeof value === (type === 'bool' ? 'boolean' : 'string')
}

for (const dataset of datasets) {
  test(`generated ${dataset.name} have only catalogued fields of the right type, and every field in some record`, () => {
    const generator = makeGenerator(dataset, 7)
    const records = Array.from({ length: 300 }, () => generator.next())
    const seen = new Set<string>()
    for (const record of [...records, ...parse(generator.lines(1000))]) {
      for (const name of [...dataset.defaultFields, dataset.timestampField]) assert.ok(name in record, name)
      for (const [name, value] of Object.entries(record)) {
        const field = findField(dataset, name)
        assert.ok(field && fits(value, field.type), `${name}: ${value}`)
        if (field.type === 'array') for (const each of value as unknown[]) assert.ok(fits(each, field.items), name)
        seen.add(name)
      }
    }
    assert.deepEqual([...seen].toSorted(), dataset.fields.map((field) => field.name).toSorted())
  })
}

test('the same seed makes the same bytes however they are asked for in turn, and another seed others', () => {
  const [one, two, other] = [makeGenerator(requests, 1), makeGenerator(requests, 1), makeGenerator(requests, 2)]
  assert.deepEqual(one.next(), two.next())
  const bytes = one.lines(500)
  assert.deepEqual(bytes, two.lines(500))
  assert.notDeepEqual(bytes, other.lines(500))
})

test('request lines weigh 1 KB to 1.5 KB and need 64-bit integers and unicode', () => {
  const text = makeGenerator(requests, 3).lines(2000).toString()
  for (const line of text.split('\n').slice(0, -1)) {
    const weight = Buffer.byteLength(line) + 1
    assert.ok(weight >= 1024 && weight <= 1536, `${weight}`)
  }
  assert.match(text, /"ZoneID":\d{17,}/)
  assert.match(text, /\p{Script=Han}/u)
  assert.match(text, /\$\{jndi/)
})

test('no ray id comes twice, and times only grow', () => {
  const records = parse(makeGenerator(requests, 5).lines(50_000))
  assert.equal(new Set(records.map((record) => record.RayID)).size, records.length)
  const times =
    makeGenerator(requests, 5)
      .lines(1000)
      .toString()
      .match(/(?<="EdgeStartTimestamp":)\d+/g) ?? []
  assert.equal(times.length, 1000)
  for (const [index, time] of times.entries()) assert.ok(index === 0 || BigInt(time) > BigInt(times[index - 1] ?? 0))
})

test('events begin when they are told to, as far apart as they are told', () => {
  const from = 1_700_000_000_000_000_000n
  const generator = makeGenerator(requests, 1, { from, stepNanos: 50_000_000 })
  const times = Array.from({ length: 1000 }, () => generator.next().EdgeStartTimestamp as bigint)
  assert.ok((times[0] as bigint) > from)
  const seconds = Number((times.at(-1) as bigint) - from) / 1e9
  assert.ok(seconds > 45 && seconds < 55, `${seconds}`)
})

test('a record becomes a line with every digit', () => {
  assert.equal(
    toLine({ ZoneID: 2n ** 63n - 1n, Deep: [{ at: 7n }] }),
    '{"ZoneID":9223372036854775807,"Deep":[{"at":7}]}',
  )
})
