/** Every form of output, from a job's options to the object in its destination, byte for byte. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { logexport, logs, Refused } from '../src/contract/index.ts'
import {
  type Dataset,
  datasets,
  judgeOutputOptions,
  makeGenerator,
  plainSelection,
  toLine,
} from '../src/datasets/index.ts'
import { append, scan, spoolParts } from '../src/logs/index.ts'
import { type House, startHouse } from './house.ts'
import { aScope, bodyOf, openTestStore, read, type TestStore } from './logs-store.ts'
import { renderBatch } from './render.ts'

const dataset = datasets.find(({ name }) => name === 'http_requests') as Dataset
/** Of every type, with texts that are hard to write. */
const fields = [
  'RayID',
  'EdgeStartTimestamp',
  'ClientRequestURI',
  'ClientRequestUserAgent',
  'EdgeResponseStatus',
  'SecurityActions',
  'SecurityRuleIDs',
  'RequestHeaders',
  'Cookies',
  'ClientRequestBytes',
  'JA4Signals',
]

const sample = {
  ClientIP: '192.0.2.10',
  EdgeStartTimestamp: 1650000000123456789n,
  RayID: '7f1c02a9d4be5a10',
}

let house: House
/** Another engine than the one that wrote, to read what was written and to write by hand. */
let store: TestStore
let files: string
let records: readonly Record<string, unknown>[]

before(async () => {
  files = await mkdtemp(join(tmpdir(), 'spillway-output-'))
  house = await startHouse({
    environment: { SPILLWAY_FILE_ROOT: files, SPILLWAY_EXPORT_INTERVAL_SECONDS: '1', SPILLWAY_MAX_JOBS: '0' },
  })
  store = await openTestStore()
  const generator = makeGenerator(dataset, 9)
  records = [
    sample,
    ...Array.from({ length: 300 }, (_, at) => ({
      ...generator.next(),
      RayID: at.toString(16).padStart(16, '0'),
      ...(at % 3 ? {} : { RequestHeaders: { '${': `a\${b`, deep: [{ x: '${' }] }, SecurityActions: ['${', '$', '{'] }),
    })),
  ]
})
after(async () => {
  await store.close()
  await house.stop()
  await rm(files, { recursive: true, force: true })
})

let made = 0
async function makeJob(output_options: Record<string, unknown>, more: object = {}): Promise<string> {
  const { client, zoneScope: scope } = house
  made += 1
  const directory = `job${made}`
  const destination_conf = `file:///${directory}/{DATE}/{HOUR}/{MINUTE}`
  const { filename } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
  const ownership_challenge = (await readFile(join(files, filename), 'utf8')).trim()
  await client.call(logexport.createJob, {
    scope,
    body: { destination_conf, ownership_challenge, enabled: true, name: `form-${made}`, output_options, ...more },
  })
  return directory
}

type Found = { readonly name: string; readonly bytes: Buffer }

async function objectOf(directory: string): Promise<Found> {
  for (const end = Date.now() + 30_000; Date.now() < end; await wait(50)) {
    const names = await readdir(join(files, directory), { recursive: true })
    const name = names.find((each) => /\.(log(\.gz|\.zst)?|parquet)$/.test(each))
    if (name) return { name, bytes: await readFile(join(files, directory, name)) }
  }
  return assert.fail(`nothing was exported to ${directory}`)
}

function unpack({ name, bytes }: Found): string {
  if (name.endsWith('.gz')) return gunzipSync(bytes).toString()
  return (name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString()
}

const forms: Record<string, Record<string, unknown>> = {
  'plain ndjson': {},
  'ndjson, times in seconds': { timestamp_format: 'unix' },
  'ndjson, RFC 3339 times': { timestamp_format: 'rfc3339' },
  'ndjson, RFC 3339 with milliseconds, packed by zstd': { timestamp_format: 'rfc3339ms', compression: 'zstd' },
  'ndjson, RFC 3339 with nanoseconds, not packed': { timestamp_format: 'rfc3339ns', compression: 'none' },
  csv: { output_type: 'csv' },
  'csv with tabs and a header': { output_type: 'csv', field_delimiter: '\t', batch_prefix: `${fields.join('\t')}\n` },
  'one JSON array': { batch_prefix: '[', batch_suffix: ']', record_suffix: '}', record_delimiter: ',' },
  'rows in an envelope': {
    batch_prefix: '{"rows":[',
    batch_suffix: ']}',
    record_prefix: '{"log":{',
    record_suffix: '}}',
    record_delimiter: ',',
  },
  'a template': {
    record_template:
      '{{.RayID}}|{{/* not shown */}}$${{"{"}}$' +
      '{{.RequestHeaders}} {{`{{`}}{{.SecurityActions}}{{.ClientIP}}\\ {{.EdgeStartTimestamp}}',
    record_prefix: '',
    record_suffix: '\r\n',
  },
  'redacted ndjson': { 'CVE-2021-44228': true },
  'redacted csv whose frame has it too': {
    'CVE-2021-44228': true,
    output_type: 'csv',
    batch_prefix: '${',
    record_prefix: '$',
    field_delimiter: '${',
    record_delimiter: '$',
  },
  'a redacted template': { 'CVE-2021-44228': true, record_template: '$' + '{{.RequestHeaders}}$' + '{{.Cookies}}' },
}

test('each form is exported byte for byte as it is meant', async () => {
  const options = Object.entries(forms).map(([form, own]) => ({ form, own: { field_names: fields, ...own } }))
  const directories: string[] = []
  for (const { own } of options) directories.push(await makeJob(own))
  const sampled = await makeJob({ field_names: ['RayID'], sample_rate: 0.3 })
  const parquet = await makeJob({ field_names: fields, output_type: 'parquet' })
  const cleanParquet = await makeJob({ field_names: fields, output_type: 'parquet', 'CVE-2021-44228': true })
  const filtered = await makeJob(
    { field_names: ['RayID'], compression: 'zstd' },
    { filter: '{"where":{"key":"EdgeResponseStatus","operator":"geq","value":500}}' },
  )
  const examples: [Record<string, unknown>, string][] = Object.values(factExamples)
  const exampleJobs: string[] = []
  const only = { filter: '{"where":{"key":"RayID","operator":"eq","value":"7f1c02a9d4be5a10"}}' }
  for (const [own] of examples)
    exampleJobs.push(await makeJob({ field_names: ['ClientIP', 'EdgeStartTimestamp', 'RayID'], ...own }, only))

  await house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(records.map(toLine).join('\n')),
  })

  for (const [at, { form, own }] of options.entries()) {
    const judged = judgeOutputOptions(own, dataset)
    assert.ok(judged.ok, form)
    const found = await objectOf(directories[at] as string)
    assert.equal(unpack(found), renderBatch(judged.value, dataset, records), form)
    if ('CVE-2021-44228' in own) assert.ok(!unpack(found).includes('${'), form)
    const ending = { zstd: '.log.zst', none: '.log', gzip: '.log.gz' }[judged.value.compression]
    assert.match(
      found.name,
      new RegExp(String.raw`^\d{8}/\d\d/\d\d/\w+_\w+_[0-9a-f]{8}${ending.replaceAll('.', '\\.')}$`),
    )
  }
  for (const [at, [own, text]] of examples.entries())
    assert.equal(unpack(await objectOf(exampleJobs[at] as string)), text, JSON.stringify(own))

  const rays = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { RayID: string }).RayID)
  const some = rays(unpack(await objectOf(sampled)))
  assert.ok(some.length > 50 && some.length < 140, `${some.length} of 301`)
  assert.deepEqual(
    some,
    records.map(({ RayID }) => RayID).filter((ray) => some.includes(ray as string)),
  )
  assert.deepEqual(
    rays(unpack(await objectOf(filtered))),
    records.filter(({ EdgeResponseStatus: status }) => Number(status ?? 0) >= 500).map(({ RayID }) => RayID),
  )
  await compareParquet((await objectOf(parquet)).name, parquet, false)
  await compareParquet((await objectOf(cleanParquet)).name, cleanParquet, true)
})

const line = '{"ClientIP":"192.0.2.10","EdgeStartTimestamp":1650000000123456789,"RayID":"7f1c02a9d4be5a10"}'
const row = '"192.0.2.10",1650000000123456789,"7f1c02a9d4be5a10"\n'
/** Settings, and what one record of the facts becomes by them. */
const factExamples: Record<string, [Record<string, unknown>, string]> = {
  ndjson: [{}, `${line}\n`],
  csv: [{ output_type: 'csv' }, row],
  tabs: [{ output_type: 'csv', field_delimiter: '\t' }, row.replaceAll(',', '\t')],
  header: [
    { output_type: 'csv', batch_prefix: 'ClientIP,EdgeStartTimestamp,RayID\n' },
    `ClientIP,EdgeStartTimestamp,RayID\n${row}`,
  ],
  array: [{ batch_prefix: '[', batch_suffix: ']', record_suffix: '}', record_delimiter: ',' }, `[${line}]`],
  rows: [
    {
      batch_prefix: '{"rows":[',
      batch_suffix: ']}',
      record_prefix: '{"log":{',
      record_suffix: '}}',
      record_delimiter: ',',
    },
    `{"rows":[{"log":${line}}]}`,
  ],
  template: [
    { record_template: '"ip":{{.ClientIP}},"at":{{.EdgeStartTimestamp}},"ray":{{.RayID}}' },
    '{"ip":"192.0.2.10","at":1650000000123456789,"ray":"7f1c02a9d4be5a10"}\n',
  ],
  seconds: [{ field_names: ['EdgeStartTimestamp'], timestamp_format: 'unix' }, '{"EdgeStartTimestamp":1650000000}\n'],
  rfc3339: [
    { field_names: ['EdgeStartTimestamp'], timestamp_format: 'rfc3339' },
    '{"EdgeStartTimestamp":"2022-04-15T05:20:00Z"}\n',
  ],
  milliseconds: [
    { field_names: ['EdgeStartTimestamp'], timestamp_format: 'rfc3339ms' },
    '{"EdgeStartTimestamp":"2022-04-15T05:20:00.123Z"}\n',
  ],
  nanoseconds: [
    { field_names: ['EdgeStartTimestamp'], timestamp_format: 'rfc3339ns' },
    '{"EdgeStartTimestamp":"2022-04-15T05:20:00.123456789Z"}\n',
  ],
}

/** Read back by the engine: a row a record, a column a field; objects are JSON text. */
async function compareParquet(name: string, directory: string, redacted: boolean): Promise<void> {
  assert.match(name, /\.parquet$/)
  const answer = await store.needs.store.client.query({
    query: `SELECT * FROM file('${join(files, directory, name)}', Parquet)`,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  const rows = await answer.json<Record<string, unknown>>()
  const text = (value: unknown) =>
    typeof value === 'object' && value !== null ? toLine(value as never) : String(value)
  const clean = (value: string) => (redacted ? value.replaceAll('${', 'x{') : value)
  const expected = (fieldName: string, value: unknown): unknown => {
    const field = dataset.fields.find((each) => each.name === fieldName)
    const empty = { string: '', int: 0, bool: false, float: 0, array: [], object: {} }
    const held = value ?? empty[field?.type ?? 'string']
    if (Array.isArray(held)) return held.map((each) => clean(text(each)))
    return clean(text(held))
  }
  assert.equal(rows.length, records.length)
  for (const [at, row] of rows.entries()) {
    assert.deepEqual(Object.keys(row), fields)
    const seen = fields.map((each) =>
      Array.isArray(row[each]) ? (row[each] as unknown[]).map(String) : String(row[each]),
    )
    assert.deepEqual(
      seen,
      fields.map((each) => expected(each, records[at]?.[each])),
      `row ${at}`,
    )
  }
}

test('options that cannot be meant are refused with their places', async () => {
  const places = async (output_options: Record<string, unknown>) => {
    const error = await makeJob(output_options).then(
      () => assert.fail('it was taken'),
      (error: unknown) => error,
    )
    assert.ok(error instanceof Refused)
    return error.errors.map(({ source }) => source?.pointer)
  }
  assert.deepEqual(await places({ compression: 'brotli', timestamp_format: 'iso' }), [
    '/output_options/timestamp_format',
    '/output_options/compression',
  ])
  assert.deepEqual(await places({ output_type: 'parquet', compression: 'zstd', batch_prefix: 'x' }), [
    '/output_options/batch_prefix',
    '/output_options/compression',
  ])
})

test('written a second time, every form has the same bytes', async () => {
  const scope = aScope('1')
  await append(store.needs, scope, dataset, bodyOf(records.map(toLine).join('\n')))
  const window = { from: 0n, to: store.needs.watermark.read() }
  const hashes = async (own: Record<string, unknown>) => {
    const judged = judgeOutputOptions({ field_names: fields, sample_rate: 0.7, ...own }, dataset)
    assert.ok(judged.ok)
    const parts = await spoolParts(store.needs, scope, dataset, window, judged.value, {
      name: 'same',
      maxRecords: 50,
    })
    assert.ok(parts.length > 3)
    return parts.map(({ sha256 }) => sha256)
  }
  const packed = [{ compression: 'zstd' }, { compression: 'none' }, { output_type: 'csv' }, { output_type: 'parquet' }]
  for (const own of packed) assert.deepEqual(await hashes(own), await hashes(own), JSON.stringify(own))
})

test('an object that came as text with line breaks is written on one line', async () => {
  const scope = aScope('2')
  const text = '{\n"a":\r\n1, "b": "x\\ny"}'
  const lines = [{ RequestHeaders: text }, { RequestHeaders: text, Unknown: 1 }].map((each) => JSON.stringify(each))
  for (const line of lines) await append(store.needs, scope, dataset, bodyOf(line))
  const window = { from: 0n, to: store.needs.watermark.read() }
  const selection = { ...plainSelection(dataset), fields: ['RequestHeaders'] }
  const seen = await read((await scan(store.needs, scope, dataset, window, selection)) as AsyncIterable<Buffer>)
  assert.equal(seen, '{"RequestHeaders":{ "a":  1, "b": "x\\ny"}}\n'.repeat(2))
})
