/**
 * Do a million generated records come out of log fetch as they went in, field by field, and what does reading cost? Budget:
 * export of 12 fields at most 4 CPU-seconds per GB of raw log, of all fields at most 10, packed.
 *
 * The table of packings is where the default level comes from: within 20 % of the size of gzip 6 at twice its speed.
 */
import { rmSync } from 'node:fs'
import { makeGenerator, plainSelection, type Selection } from '../src/datasets/index.ts'
import { append, scan, spoolParts } from '../src/logs/index.ts'
import { aScope, bodyOf, openTestStore } from '../test/logs-store.ts'
import { measure, memory, perSecond } from './logs-measure.ts'

const records = Number(process.argv[2] ?? 1_000_000)
const batch = 25_000
const house = await openTestStore()
const dataset = house.needs.datasets.find('http_requests')
if (!dataset) throw new Error('no http_requests')
const pid = house.engine?.pid()
const plain = plainSelection(dataset)
const all = dataset.fields.map(({ name }) => name)
const scope = aScope()

let rawBytes = 0
const writer = makeGenerator(dataset, 42)
for (let done = 0; done < records; done += batch) {
  const lines = writer.lines(Math.min(batch, records - done))
  rawBytes += lines.length
  await append(house.needs, scope, dataset, bodyOf(lines))
}
const window = { from: 0n, to: house.needs.watermark.read() }
console.log(`${records} records, ${(rawBytes / 1e9).toFixed(2)} GB of raw log`)

const empties: Record<string, unknown> = { string: '', int: 0, float: 0, bool: false, array: [], object: {} }
const empty = Object.fromEntries(dataset.fields.map((field) => [field.name, empties[field.type]]))
// Whole numbers beyond 2^53 are compared by their digits.
const exact = (line: string): Record<string, unknown> =>
  JSON.parse(line, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source && source.length > 15 ? source : value) as never)

async function compare(): Promise<number> {
  const reader = makeGenerator(dataset as NonNullable<typeof dataset>, 42)
  let expected: string[] = []
  let seen = 0
  let rest = ''
  const stream = await scan(house.needs, scope, dataset as NonNullable<typeof dataset>, window, {
    ...plain,
    fields: all,
  })
  stream.setEncoding('utf8')
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (expected.length === 0)
        expected = reader
          .lines(Math.min(batch, records - seen))
          .toString()
          .trimEnd()
          .split('\n')
          .reverse()
      const want = { ...empty, ...exact(expected.pop() ?? '') }
      const got = exact(line)
      for (const name of all)
        if (JSON.stringify(got[name]) !== JSON.stringify(want[name]))
          throw new Error(`record ${seen}, ${name}: ${JSON.stringify(got[name])} is not ${JSON.stringify(want[name])}`)
      seen += 1
    }
  }
  return seen
}
const equal = await compare()
console.log(`${equal} records equal field by field${equal === records ? '' : `, ${records} expected`}`)
if (equal !== records) process.exitCode = 1

const twelve = [...dataset.defaultFields, 'ClientCountry', 'ClientRequestPath', 'ClientRequestUserAgent'].slice(0, 12)
const forty = all.slice(0, 49)
const cases: readonly (readonly [name: string, selection: Selection, level: number])[] = [
  ...[1, 2, 3, 4, 6].map((level) => [`12 fields gzip ${level}`, { ...plain, fields: twelve }, level] as const),
  ['12 fields gzip 3 redacted', { ...plain, fields: twelve, redact: true }, 3],
  ['12 fields zstd 1', { ...plain, fields: twelve, compression: 'zstd' }, 1],
  ['12 fields plain', { ...plain, fields: twelve, compression: 'none' }, 1],
  ['49 fields gzip 3', { ...plain, fields: forty }, 3],
  ...[1, 3, 6].map((level) => [`all fields gzip ${level}`, { ...plain, fields: all }, level] as const),
  ['all fields plain', { ...plain, fields: all, compression: 'none' }, 1],
]
for (const [name, selection, level] of cases) {
  let bytes = 0
  let text = 0
  const cost = await measure(pid, async () => {
    for (const part of await spoolParts(house.needs, scope, dataset, window, selection, { name: 'bench', level })) {
      bytes += part.bytes
      text += part.rawBytes
      rmSync(part.file)
    }
  })
  console.log(
    `${name.padEnd(28)} ${(cost.cpu / (rawBytes / 1e9)).toFixed(1).padStart(5)} CPU-s per raw GB, ${perSecond(rawBytes, cost)} raw MB/s, ` +
      `${(text / 1e6).toFixed(0)} MB of text in ${(bytes / 1e6).toFixed(1)} MB`,
  )
}
const { own, engine, most } = memory(pid)
console.log(`RSS ${own} + ${engine} MB, most ${most} MB`)
await house.close()
