/**
 * How much log does a CPU-second take in? http_requests, 1 to 1.5 KB a record, from bytes in memory to the durable commit,
 * engine child included. Budget: 100 MB per CPU-second at 32 MB batches, under 1.5 GB resident.
 * For comparison a plain JSON.parse + JSON.stringify loop over the same bytes, in the same run.
 *
 * Two kinds of sender: one that fills some 36 of all 120 fields, others in every record, and an edge, which fills the
 * same 36 in all of its records.
 */

import { type Dataset, makeGenerator } from '../src/datasets/index.ts'
import { append, makeIngest } from '../src/logs/index.ts'
import { aScope, bodyOf, openTestStore } from '../test/logs-store.ts'
import { fewerFields } from './fewer-fields.ts'
import { measure, memory, perCpuSecond, perSecond } from './logs-measure.ts'

const records = 25_000
const megabytes = Number(process.argv[2] ?? 512)
const house = await openTestStore()
const dataset = house.needs.datasets.find('http_requests')
if (!dataset) throw new Error('no http_requests')
const pid = house.engine?.pid()

/** The rate of the largest batches. */
async function take(sender: string, lines: Buffer): Promise<number> {
  // Each sender is the first that this ingest sees.
  const needs = { ...house.needs, ingest: makeIngest(house.needs) }
  const send = (body: AsyncIterable<Uint8Array>) => append(needs, aScope(), dataset as Dataset, body)
  // The first batches pay for starting up.
  for (let warm = 0; warm < 3; warm += 1) await send(bodyOf(lines))
  const loop = await measure(undefined, async () => {
    for (const line of lines.toString().trimEnd().split('\n')) JSON.stringify(JSON.parse(line))
  })
  const plain = perCpuSecond(lines.length, loop)
  console.log(
    `${sender}, ${Math.round(lines.length / records)} bytes each; JSON.parse + JSON.stringify: ${plain} MB per CPU-second`,
  )
  let rate = 0
  for (const size of [1, 4, 32]) {
    const body = lines.subarray(0, lines.lastIndexOf(10, Math.min(size * 1e6, lines.length - 1)) + 1)
    const batches = Math.max(4, Math.round((megabytes * 1e6) / body.length / (size === 32 ? 1 : 8)))
    let sent = 0
    const cost = await measure(pid, async () => {
      const write = async () => {
        while (sent < batches) {
          sent += 1
          await send(chunked(body))
        }
      }
      await Promise.all([write(), write()])
    })
    const bytes = batches * body.length
    rate = perCpuSecond(bytes, cost)
    const { own, engine } = memory(pid)
    console.log(
      `${size} MB x ${batches}: ${perSecond(bytes, cost)} MB/s, ${rate} MB per CPU-second ` +
        `(own ${cost.ownCpu.toFixed(1)} s, engine ${cost.engineCpu.toFixed(1)} s), ` +
        `${(rate / plain).toFixed(1)} times the JSON loop, RSS ${own} + ${engine} MB`,
    )
  }
  return rate
}

const ofAll = await take('other fields in every record', makeGenerator(dataset, 1).lines(records))
const ofEdge = await take(
  'the same 36 fields in every record',
  makeGenerator(fewerFields(dataset, 36), 1).lines(records),
)
const said = (rate: number) => (rate >= 100 ? 'met' : `missed, ${rate}`)
console.log(
  `most resident: ${memory(pid).most} MB; budget 100 MB per CPU-second at 32 MB: ${said(ofAll)}; by an edge: ${said(ofEdge)}`,
)
await house.close()

/** As a socket gives it: 64 KB at a time. */
async function* chunked(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536)
}
