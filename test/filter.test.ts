/** Filters as the store runs them, held against what they mean, over ten thousand records. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { logs } from '../src/contract/index.ts'
import {
  type Dataset,
  type Field,
  type FilterOperator,
  judgeFilter,
  makeGenerator,
  operatorsFor,
  plainSelection,
  toLine,
} from '../src/datasets/index.ts'
import { append, scan } from '../src/logs/index.ts'
import { startHouse } from './house.ts'
import { aScope, bodyOf, openTestStore, read, type TestStore } from './logs-store.ts'
import { matchesFilter } from './matches.ts'

const name = 'gateway_dns'
const scope = { ...aScope(), kind: 'account' } as const
let store: TestStore
let dataset: Dataset
let records: Record<string, unknown>[]

before(async () => {
  store = await openTestStore()
  dataset = store.needs.datasets.find(name, 'account') as Dataset
  const generator = makeGenerator(dataset, 20261115)
  records = Array.from({ length: 10_000 }, (_, at) => ({ ...generator.next(), QueryID: `q${at}` }))
  const done = await append(store.needs, scope, dataset, bodyOf(records.map(toLine).join('\n')))
  assert.equal(done.accepted, records.length)
})
after(() => store.close())

/** The ids of the records that the store keeps. */
async function kept(text: string): Promise<string[]> {
  const filter = judgeFilter(text, dataset)
  assert.ok(filter.ok, `${text}: ${JSON.stringify(filter)}`)
  const selection = { ...plainSelection(dataset), fields: ['QueryID'], filter: filter.value }
  const window = { from: 0n, to: store.needs.watermark.read() }
  const lines = await read((await scan(store.needs, scope, dataset, window, selection)) as AsyncIterable<Buffer>)
  return lines.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { QueryID: string }).QueryID]))
}

function meant(text: string): string[] {
  const filter = judgeFilter(text, dataset)
  assert.ok(filter.ok)
  return records.filter((record) => matchesFilter(filter.value, record)).map(({ QueryID }) => QueryID as string)
}

/** Asks for several filters at a time, and says how many records each kept. */
async function compare(texts: readonly string[]): Promise<number[]> {
  const counts: number[] = []
  const rest = [...texts.entries()]
  const worker = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [at, text] = next
      const found = await kept(text)
      assert.deepEqual(found, meant(text), text)
      counts[at] = found.length
    }
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return counts
}

const kindOf = (field: Field): string => `${field.type} ${field.items ?? ''}${field.timestamp ? 'time' : ''}`
const write = (node: unknown): string => toLine({ where: node as Record<string, unknown> })

/** A value that some record holds; a part of it where the operator looks for parts. */
function operand(field: Field, operator: FilterOperator, at: number): unknown {
  const from = (at * 37) % 5000
  const held = records.slice(from, from + 1000).map((record) => record[field.name])
  const one = (each: unknown) => (Array.isArray(each) ? each[0] : each)
  const values = held.map(one).filter((value) => value !== undefined)
  const value = values[0] ?? (field.type === 'string' || field.items === 'string' ? '' : 0)
  if (operator.endsWith('in')) return [...new Set(values.slice(0, 3))]
  if (typeof value !== 'string' || field.type === 'array') return value
  if (operator.endsWith('startsWith')) return value.slice(0, 3)
  if (operator.endsWith('endsWith')) return value.slice(-3)
  return operator.endsWith('contains') ? value.slice(1, 4) : value
}

test('every operator on every type it is allowed for keeps the records it means', async () => {
  const kinds = Map.groupBy(
    dataset.fields.filter((field) => operatorsFor(field).length > 0 && field.name !== 'QueryID'),
    kindOf,
  )
  assert.deepEqual(
    [...kinds.keys()].sort(),
    ['array int', 'array string', 'bool ', 'int ', 'int time', 'string '],
    'the dataset has every type that can be filtered',
  )
  const conditions = [...kinds.values()].flatMap((fields) =>
    operatorsFor(fields[0] as Field).flatMap((operator) =>
      // Several fields of the type, so that rare and common values, empty ones and awkward texts all come up.
      fields.slice(0, 2).map((field, at) => ({ key: field.name, operator, value: operand(field, operator, at) })),
    ),
  )
  const counts = await compare(conditions.map((condition) => write(condition)))
  const pairs = Map.groupBy([...conditions.entries()], ([, { operator }]) => operator)
  for (const [operator, found] of pairs)
    assert.ok(
      found.some(([at]) => (counts[at] ?? 0) > 0 && (counts[at] ?? 0) < records.length),
      `${operator} parts the records somewhere`,
    )
})

test('edges of whole numbers, empty values and awkward texts are compared exactly', async () => {
  const time = records.find((record) => record.Datetime !== undefined)?.Datetime as bigint
  await compare([
    write({ key: 'Datetime', operator: 'eq', value: time }),
    write({ key: 'Datetime', operator: 'gt', value: time - 1n }),
    write({ key: 'Datetime', operator: 'lt', value: time + 1n }),
    write({ key: 'Datetime', operator: 'geq', value: '-9223372036854775808' }),
    write({ key: 'Datetime', operator: 'leq', value: '9223372036854775807' }),
    write({ key: 'Datetime', operator: '!in', value: [time, 0] }),
    write({ key: 'QueryName', operator: 'eq', value: '' }),
    write({ key: 'QueryName', operator: 'contains', value: '' }),
    write({ key: 'QueryName', operator: 'startsWith', value: '' }),
    ...['%', '_', "it's", '\\', '"', '${', 'ü', '{f0:String}', '\t', '🙂'].flatMap((value) => [
      write({ key: 'QueryName', operator: 'contains', value }),
      write({ key: 'DeviceName', operator: '!contains', value }),
      write({ key: 'DeviceName', operator: 'in', value: [value, 'x'] }),
      write({ key: 'DeviceName', operator: 'eq', value }),
    ]),
  ])
})

test('nodes within nodes mean what they say', async () => {
  const strings = dataset.fields.filter((field) => field.type === 'string' && field.filterable).slice(0, 6)
  const ints = dataset.fields.filter((field) => field.type === 'int' && field.filterable).slice(0, 6)
  const leaf = (at: number): unknown => {
    const field = (at % 2 ? strings : ints)[at % 6] as Field
    const operators = operatorsFor(field)
    const operator = operators[at % operators.length] as FilterOperator
    return { key: field.name, operator, value: operand(field, operator, at) }
  }
  const tree = (at: number, depth: number): unknown => {
    if (depth === 0) return leaf(at)
    return { [at % 3 ? 'or' : 'and']: [tree(at + 1, depth - 1), tree(at * 3 + 2, depth - 1)] }
  }
  const texts = Array.from({ length: 30 }, (_, at) => write(tree(at, 1 + (at % 3)))).filter((text) => text.length < 900)
  assert.ok(texts.length > 20)
  await compare(texts)
})

test('log fetch takes the same filters, and says what is wrong with one', async () => {
  const house = await startHouse({ environment: { SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' } })
  try {
    const { client, zoneScope: scope } = house
    const start = new Date().toISOString()
    await client.call(logs.setRetentionFlag, { scope, body: { flag: true } })
    const lines = ['{"RayID":"a","EdgeResponseStatus":200}', '{"RayID":"b","EdgeResponseStatus":503}']
    await client.call(logs.ingest, { scope, params: { dataset: 'http_requests' }, body: Buffer.from(lines.join('\n')) })
    const fetched = (filter: string) =>
      client.open(logs.received, { scope, query: { start, end: new Date().toISOString(), fields: 'RayID', filter } })
    const where = write({ key: 'EdgeResponseStatus', operator: 'geq', value: 500 })
    assert.equal(await (await fetched(where)).text(), '{"RayID":"b"}\n')
    await assert.rejects(fetched('{"where":{"key":"Nope","operator":"eq","value":1}}'), /has no field "Nope"/)
  } finally {
    await house.stop()
  }
})
