/** Windows become as many parts as the destination and the job allow, and each part leaves once. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { logexport } from '../src/contract/index.ts'
import { type Receiver, startReceiver } from './endpoints/index.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'

let house: ExportHouse
let datadog: Receiver
let https: Receiver
before(async () => {
  ;[house, datadog, https] = await Promise.all([
    startExportHouse({ environment: { SPILLWAY_OWNERSHIP: 'storage' } }),
    startReceiver('datadog'),
    startReceiver('https'),
  ])
})
after(async () => {
  await house.stop()
  await Promise.all([datadog.stop(), https.stop()])
})

const jobTo = (destination_conf: string, fields = {}) =>
  house.client.call(logexport.createJob, {
    scope: house.zoneScope,
    body: { destination_conf, enabled: true, logfetch_options: 'fields=RayID', ...fields },
  })

const linesOf = (text: string): string[] => text.trimEnd().split('\n')

test('a receiver that takes 1,000 entries a request gets several, in order and nothing twice', async () => {
  await jobTo(`datadog://${datadog.host}/api/v2/logs?header_DD-API-KEY=secret`)
  await house.send(...rays(2500))
  const requests = await eventually(async () => datadog.requests().length >= 3 && datadog.requests())
  assert.deepEqual(
    requests.map(({ text }) => linesOf(text).length),
    [1000, 1000, 500],
  )
  assert.deepEqual(
    requests.flatMap(({ text }) => linesOf(text).map((line) => JSON.parse(line).RayID)),
    rays(2500),
  )
})

test('a receiver that takes 5 MB a request gets no more, whatever the records weigh', async () => {
  const before = datadog.requests().length
  const heavy = Array.from({ length: 700 }, (_, at) => `${at}-${'x'.repeat(14_000)}`)
  for (let from = 0; from < heavy.length; from += 100) await house.send(...heavy.slice(from, from + 100))
  const requests = await eventually(async () => {
    const since = datadog.requests().slice(before)
    const lines = since.flatMap(({ text }) => linesOf(text))
    return lines.length >= heavy.length && since
  })
  for (const { text } of requests) assert.ok(text.length <= 5_000_000, `${text.length} bytes in one request`)
  assert.ok(requests.length >= 2)
  const seen = requests.flatMap(({ text }) => linesOf(text).map((line) => JSON.parse(line).RayID))
  assert.deepEqual(seen, heavy)
  assert.deepEqual(datadog.complaints(), [])
})

test('max_upload_records and max_upload_bytes cut objects', async () => {
  await house.toS3('thousand', { max_upload_records: 1000 })
  await house.toS3('megabytes', { max_upload_bytes: 5_000_000 })
  await house.send(...rays(2400, 'm'))
  for (let from = 0; from < 600; from += 100) await house.send(...rays(100, `${from}-${'y'.repeat(14_000)}`))
  const sizes = (directory: string) =>
    [...house.objects(`logs/${directory}/`).values()].map((packed) => gunzipSync(packed).toString())
  const whole = (texts: string[]) => texts.flatMap(linesOf).length === 3000 && texts
  const thousands = await eventually(async () => whole(sizes('thousand')))
  for (const text of thousands) assert.ok(linesOf(text).length <= 1000)
  const megabytes = await eventually(async () => whole(sizes('megabytes')))
  for (const text of megabytes) assert.ok(text.length <= 5_000_000)
  assert.ok(megabytes.length >= 2)
})

test('parts that an HTTP destination took are not sent again when a window is resumed', async () => {
  const conf = `https://${https.host}/in?header_Authorization=Bearer%20x`
  const job = await jobTo(conf, { max_upload_records: 1000 })
  // As soon as one part of the window is in, the others are turned away for a while.
  let isTurnedAway = false
  const turnAway = setInterval(() => {
    if (https.requests().length === 0 || isTurnedAway) return
    isTurnedAway = true
    https.misbehave(...Array.from({ length: 4 }, () => ({ status: 503 })))
  }, 1)
  await house.send(...rays(5000, 'p'))
  await eventually(
    async () => (await house.deliveries(job)).filter(({ outcome }) => outcome === 'delivered').length >= 5,
  )
  clearInterval(turnAway)
  const ids = https.requests().map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, ids.length, 'every part came once')
  const seen = https.requests().flatMap(({ text }) => linesOf(text))
  assert.equal(seen.length, 5000)
  const attempts = (await house.deliveries(job)).map((delivery) => delivery.attempts)
  assert.ok(Math.max(...attempts) > 1, 'one of them needed more than one try')
})
