/** Walks the registry: whatever is added to the catalogue is tested by its line there. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { datasets, fieldList, findField, judgeDataset, judgeDatasetFiles, makeRegistry } from './index.ts'

const aFile = (changes: object = {}) => ({
  name: 'lift_rides',
  scope: 'account',
  timestampField: 'At',
  defaultFields: ['At', 'Floor'],
  fields: [
    { name: 'Floor', type: 'int', description: 'Floor reached' },
    { name: 'At', type: 'int', timestamp: true, description: 'When the doors opened' },
    { name: 'Riders', type: 'array', items: 'object', description: 'Who rode' },
  ],
  ...changes,
})

const reasonsFor = (changes: object) => {
  const judged = judgeDataset(aFile(changes))
  return judged.ok ? [] : judged.reasons
}

test('the catalogue lists every file of its folder', () => {
  const files = readdirSync(new URL('catalogue/', import.meta.url)).filter((file) => file.endsWith('.json'))
  assert.deepEqual(
    datasets.map((dataset) => `${dataset.name}.json`),
    files.toSorted(),
  )
})

for (const dataset of datasets) {
  test(`${dataset.name} has alphabetical fields, a time, and default fields that exist`, () => {
    const names = dataset.fields.map((field) => field.name)
    assert.deepEqual(names, names.toSorted())
    assert.equal(findField(dataset, dataset.timestampField)?.type, 'int')
    assert.ok(dataset.defaultFields.length > 0)
    for (const name of dataset.defaultFields) assert.ok(findField(dataset, name), name)
    assert.deepEqual(Object.keys(fieldList(dataset, 'default')), dataset.defaultFields.toSorted())
    assert.deepEqual(Object.keys(fieldList(dataset, 'all')), names)
    for (const line of Object.values(fieldList(dataset, 'all')))
      assert.match(line, /^(string|int|bool|float|object|int or string|array\[(string|int|object)\]); \S/)
  })
}

test('a dataset is found in its own scope, and one of both scopes in either', () => {
  const registry = makeRegistry()
  assert.ok(registry.ok)
  assert.equal(registry.value.all.length, 37)
  assert.equal(registry.value.find('http_requests', 'zone')?.name, 'http_requests')
  assert.equal(registry.value.find('http_requests', 'account'), undefined)
  assert.equal(registry.value.find('audit_logs', 'zone'), undefined)
  assert.equal(registry.value.find('audit_logs')?.scope, 'account')
  assert.ok(registry.value.find('firewall_events', 'zone') && registry.value.find('firewall_events', 'account'))
  assert.equal(registry.value.find('toString'), undefined)
})

test('an added dataset is found beside the shipped ones, and may not take a name that is taken', () => {
  const lifts = judgeDataset(aFile())
  assert.ok(lifts.ok)
  const registry = makeRegistry([lifts.value])
  assert.ok(registry.ok)
  assert.equal(registry.value.find('lift_rides', 'account'), lifts.value)

  const [first] = datasets
  assert.ok(first)
  assert.equal(makeRegistry([first]).ok, false)
  assert.equal(makeRegistry([lifts.value, lifts.value]).ok, false)
})

test('field lists say type and description, known values included', () => {
  const requests = datasets.find((dataset) => dataset.name === 'http_requests')
  assert.ok(requests)
  const all = fieldList(requests, 'all')
  assert.equal(all.ClientIP, 'string; Client IP address')
  assert.equal(all.EdgeStartTimestamp, 'int or string; When the request reached the edge')
  assert.match(all.CacheCacheStatus ?? '', /^string; Outcome of the cache lookup: unknown \| miss \| expired/)
  assert.match(all.BotDetectionIDs ?? '', /^array\[int\]; /)
})

test('the documented fields that cannot be filtered are marked, and objects never can', () => {
  const events = datasets.find((dataset) => dataset.name === 'firewall_events')
  assert.ok(events)
  const barred = ['Action', 'Description', 'Kind', 'MatchIndex', 'Metadata', 'OriginatorRayID', 'RuleID', 'Source']
  for (const name of barred) assert.equal(findField(events, name)?.filterable, false, name)
  assert.equal(findField(events, 'ClientIP')?.filterable, true)
})

test('fields of an operator’s file are put in alphabetical order', () => {
  const judged = judgeDataset(aFile())
  assert.ok(judged.ok)
  assert.deepEqual(
    judged.value.fields.map((field) => [field.name, field.filterable]),
    [
      ['At', true],
      ['Floor', true],
      ['Riders', false],
    ],
  )
})

test('a bad dataset file is refused with every reason and its place', () => {
  const field = { name: 'At', type: 'int', timestamp: true, description: 'When' }
  const judged = judgeDataset({
    name: 'Lift-Rides',
    scope: 'world',
    timestampField: 'Floor',
    defaultFields: ['At', 'At', 'Nowhere', 7],
    fields: [
      field,
      field,
      { name: 'x-y', type: 'int', description: 'Bad name' },
      { name: 'Doors', type: 'number', description: '', items: 'string', colour: 'red', enum: ['a', 'a'] },
      'Riders',
    ],
    owner: 'me',
  })
  assert.deepEqual(judged.ok ? [] : judged.reasons.map((reason) => reason.pointer), [
    '/owner',
    '/name',
    '/scope',
    '/fields/2/name',
    '/fields/3/colour',
    '/fields/3/type',
    '/fields/3/items',
    '/fields/3/description',
    '/fields/3/enum',
    '/fields/4',
    '/fields/1/name',
    '/timestampField',
    '/defaultFields/1',
    '/defaultFields/2',
    '/defaultFields/3',
  ])
})

test('a dataset file needs fields, a time among them and defaults', () => {
  for (const file of [null, [], 'text', 7]) assert.equal(judgeDataset(file).ok, false)
  const [noFields] = reasonsFor({ fields: [] })
  assert.equal(noFields?.message, 'fields is a list of 1 to 500 fields')
  assert.equal(reasonsFor({ defaultFields: [] })[0]?.pointer, '/defaultFields')
  assert.equal(reasonsFor({ timestampField: 'Riders' })[0]?.pointer, '/timestampField')
  const array = { name: 'Tags', type: 'array', description: 'Labels' }
  assert.equal(reasonsFor({ fields: [...aFile().fields, array] })[0]?.pointer, '/fields/3/items')
  const object = { name: 'Door', type: 'object', description: 'The door', filterable: true }
  assert.equal(reasonsFor({ fields: [...aFile().fields, object] })[0]?.pointer, '/fields/3/filterable')
})

test('files that cannot be datasets are refused by file, place and reason, all at once', () => {
  const good = { file: 'lifts.json', text: JSON.stringify(aFile()) }
  const registry = judgeDatasetFiles([good])
  assert.equal(registry.ok && registry.value.all.length, 38)

  const broken = { file: 'broken.json', text: '{' }
  const unscoped = { file: 'unscoped.json', text: JSON.stringify(aFile({ name: 'other', scope: 'moon' })) }
  const taken = { file: 'taken.json', text: JSON.stringify(aFile({ name: 'dns_logs' })) }
  const judged = judgeDatasetFiles([good, broken, unscoped, taken])
  const [first, ...rest] = judged.ok ? [] : judged.reasons.map((reason) => reason.message)
  assert.match(first ?? '', /^broken\.json: not JSON: /)
  assert.deepEqual(rest, [
    'unscoped.json /scope: scope is account, zone or both',
    'there is already a dataset dns_logs',
  ])
})
