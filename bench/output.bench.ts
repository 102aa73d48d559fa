/**
 * Does output fall off a cliff when it is not plain NDJSON? Budget: every form of output, and a filter of fifteen operators,
 * at least a third as fast as plain NDJSON of the same fields, counted in CPU time; without compression, which would hide
 * the difference, but for the last lines, which show what packing costs.
 *
 * Seen with 200,000 records of 12 fields on two busy cores: plain 394 MB of raw log per CPU-second; rfc3339ns 0.70 of that,
 * zstd 0.71, filter 0.78, gzip 0.79, template 0.85, redaction 1.0, csv 1.2, parquet 1.3.
 */
import { rmSync } from 'node:fs'
import { judgeFilter, judgeOutputOptions, makeGenerator, type Selection } from '../src/datasets/index.ts'
import { append, spoolParts } from '../src/logs/index.ts'
import { aScope, bodyOf, openTestStore } from '../test/logs-store.ts'
import { measure } from './logs-measure.ts'

const records = Number(process.argv[2] ?? 400_000)
const batch = 25_000
const runs = 3
const store = await openTestStore()
const dataset = store.needs.datasets.find('http_requests')
if (!dataset) throw new Error('no http_requests')
const scope = aScope()
const pid = store.engine?.pid()

let rawBytes = 0
const writer = makeGenerator(dataset, 42)
for (let done = 0; done < records; done += batch) {
  const lines = writer.lines(Math.min(batch, records - done))
  rawBytes += lines.length
  await append(store.needs, scope, dataset, bodyOf(lines))
}
const window = { from: 0n, to: store.needs.watermark.read() }

const fields = [...dataset.defaultFields, 'ClientCountry', 'ClientRequestUserAgent', 'SecurityActions'].slice(0, 12)
const select = (options: Record<string, unknown>, filter = ''): Selection => {
  const compression = options.output_type === 'parquet' ? {} : { compression: 'none' }
  const judged = judgeOutputOptions({ field_names: fields, ...compression, ...options }, dataset)
  const condition = judgeFilter(filter, dataset)
  if (!judged.ok || !condition.ok) throw new Error(JSON.stringify([judged, condition]))
  return { ...judged.value, filter: condition.value }
}
// True of every record, but the store must look at each of its conditions to know.
const everyRecord = JSON.stringify({
  where: {
    and: Array.from({ length: 14 }, (_, at) => ({ key: 'ClientRequestURI', operator: '!contains', value: `~${at}~` })),
  },
})
const plain = select({})
const forms: readonly (readonly [name: string, selection: Selection])[] = [
  ['rfc3339 times', select({ timestamp_format: 'rfc3339' })],
  ['rfc3339ns times', select({ timestamp_format: 'rfc3339ns' })],
  ['redacted', select({ 'CVE-2021-44228': true })],
  ['one JSON array', select({ batch_prefix: '[', batch_suffix: ']', record_suffix: '}', record_delimiter: ',' })],
  ['csv', select({ output_type: 'csv' })],
  ['csv with tabs and a header', select({ output_type: 'csv', field_delimiter: '\t', batch_prefix: 'a\tb\n' })],
  ['template', select({ record_template: fields.map((name) => `"${name.toLowerCase()}":{{.${name}}}`).join(' ') })],
  ['filter of 15 operators', select({}, everyRecord)],
  ['half of the records', select({ sample_rate: 0.5 })],
  ['parquet', select({ output_type: 'parquet' })],
  ['gzip', select({ compression: 'gzip' })],
  ['zstd', select({ compression: 'zstd' })],
]
async function cpuOf(selection: Selection): Promise<number> {
  const costs: number[] = []
  for (let run = 0; run < runs; run++) {
    const cost = await measure(pid, async () => {
      for (const part of await spoolParts(store.needs, scope, dataset as never, window, selection, { name: 'bench' }))
        rmSync(part.file)
    })
    costs.push(cost.cpu)
  }
  return Math.min(...costs)
}

await cpuOf(plain)
const base = await cpuOf(plain)
const rate = (cpu: number) => `${(rawBytes / 1e6 / cpu).toFixed(0)} MB of raw log per CPU-second`
console.log(`${records} records, ${fields.length} fields; plain NDJSON ${rate(base)}`)
for (const [name, selection] of forms) {
  const cpu = await cpuOf(selection)
  const share = base / cpu
  const isMissed = share < 1 / 3
  console.log(`${name.padEnd(28)} ${rate(cpu).padEnd(36)} ${share.toFixed(2)} of plain${isMissed ? '  MISSED' : ''}`)
  if (isMissed) process.exitCode = 1
}
await store.close()
