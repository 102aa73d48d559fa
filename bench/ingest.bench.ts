/**
 * How much log does a CPU-second take in? http_requests with all fields, 1 to 1.5 KB a record, from bytes in memory to the
 * durable commit, engine child included. Budget: 100 MB per CPU-second at 32 MB batches, under 1.5 GB resident.
 * For comparison a plain JSON.parse + JSON.stringify loop over the same bytes, in the same run.
 */

import { makeGenerator } from '../src/datasets/index.ts'
import { append } from '../src/logs/index.ts'
import { aScope, bodyOf, openTestStore } from '../test/logs-store.ts'
import { measure, memory, perCpuSecond, perSecond } from './logs-measure.ts'

const megabytes = Number(process.argv[2] ?? 512)
const house = await openTestStore()
const dataset = house.needs.datasets.find('http_requests')
if (!dataset) throw new Error('no http_requests')
const pid = house.engine?.pid()
const generator = makeGenerator(dataset, 1)
const lines = generator.lines(25_000)
console.log(`${dataset.fields.length} fields, ${Math.round(lines.length / 25_000)} bytes a record`)

const sizes = [1, 4, 32].map((size) => {
  const bytes = size * 1e6
  const cut = lines.lastIndexOf(10, Math.min(bytes, lines.length - 1)) + 1
  return { size, body: lines.subarray(0, cut) }
})
// The first batches pay for starting up.
for (let warm = 0; warm < 3; warm += 1) await append(house.needs, aScope(), dataset, bodyOf(lines))

const loop = await measure(undefined, async () => {
  for (const line of lines.toString().trimEnd().split('\n')) JSON.stringify(JSON.parse(line))
})
console.log(`JSON.parse + JSON.stringify: ${perCpuSecond(lines.length, loop)} MB per CPU-second`)

let best = 0
for (const { size, body } of sizes) {
  const batches = Math.max(4, Math.round((megabytes * 1e6) / body.length / (size === 32 ? 1 : 8)))
  let sent = 0
  const cost = await measure(pid, async () => {
    const write = async () => {
      while (sent < batches) {
        sent += 1
        await append(house.needs, aScope(), dataset, chunked(body))
      }
    }
    await Promise.all([write(), write()])
  })
  const bytes = batches * body.length
  if (size === 32) best = perCpuSecond(bytes, cost)
  const { own, engine } = memory(pid)
  console.log(
    `${size} MB x ${batches}: ${perSecond(bytes, cost)} MB/s, ${perCpuSecond(bytes, cost)} MB per CPU-second ` +
      `(own ${cost.ownCpu.toFixed(1)} s, engine ${cost.engineCpu.toFixed(1)} s), ` +
      `${(perCpuSecond(bytes, cost) / perCpuSecond(lines.length, loop)).toFixed(1)} times the JSON loop, RSS ${own} + ${engine} MB`,
  )
}
const { most } = memory(pid)
console.log(
  `most resident: ${most} MB; budget 100 MB per CPU-second at 32 MB: ${best >= 100 ? 'met' : `missed, ${best}`}`,
)
await house.close()

/** As a socket gives it: 64 KB at a time. */
async function* chunked(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536)
}
