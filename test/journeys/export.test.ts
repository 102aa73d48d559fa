import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { logexport, logs } from '../../src/contract/index.ts'
import { type House, startHouse } from '../house.ts'

let house: House
let files: string
before(async () => {
  files = await mkdtemp(join(tmpdir(), 'spillway-files-'))
  house = await startHouse({
    environment: {
      SPILLWAY_FILE_ROOT: files,
      SPILLWAY_EXPORT_INTERVAL_SECONDS: '1',
      SPILLWAY_FETCH_MIN_AGE_SECONDS: '0',
    },
  })
})
after(async () => {
  await house.stop()
  await rm(files, { recursive: true, force: true })
})

/** Every line of every object below a directory, object by object in the order of their names. */
async function exported(directory: string): Promise<string[]> {
  const names = (await readdir(join(files, directory), { recursive: true }).catch(() => [])).filter((name) =>
    name.endsWith('.gz'),
  )
  const texts = await Promise.all(names.sort().map((name) => readFile(join(files, directory, name))))
  return texts.flatMap((bytes) => gunzipSync(bytes).toString().trimEnd().split('\n'))
}

async function eventually<T>(look: () => Promise<T | undefined | false>, withinMs = 15_000): Promise<T> {
  const until = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > until) assert.fail('it did not happen in time')
    await wait(50)
  }
}

async function provenJob(destination_conf: string, rest: object = {}) {
  const { client, zoneScope: scope } = house
  const { filename } = await client.call(logexport.issueChallenge, { scope, body: { destination_conf } })
  const ownership_challenge = (await readFile(join(files, filename), 'utf8')).trim()
  return client.call(logexport.createJob, {
    scope,
    body: { destination_conf, ownership_challenge, enabled: true, ...rest },
  })
}

const send = (lines: object[]) =>
  house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  })

test('records come in, and leave in objects that hold exactly the chosen fields in order', async () => {
  const job = await provenJob('file:///first/{DATE}', { logfetch_options: 'fields=RayID,ClientIP&timestamps=rfc3339' })
  const answer = await send([
    { RayID: 'a1', ClientIP: '192.0.2.1', EdgeResponseStatus: 200 },
    { RayID: 'a2', ClientIP: '192.0.2.2' },
  ])
  assert.deepEqual([answer.accepted, answer.rejected], [2, 0])
  const lines = await eventually(async () => {
    const found = await exported('first')
    return found.length === 2 && found
  })
  assert.deepEqual(lines, ['{"RayID":"a1","ClientIP":"192.0.2.1"}', '{"RayID":"a2","ClientIP":"192.0.2.2"}'])
  const seen = await eventually(async () => {
    const one = await house.client.call(logexport.viewJob, { scope: house.zoneScope, params: { job_id: job.id } })
    return one.last_complete !== null && one
  })
  assert.equal(seen.last_error, null)
  const [receipt] = await house.client.call(logexport.listDeliveries, {
    scope: house.zoneScope,
    params: { job_id: job.id },
  })
  assert.equal(receipt?.outcome, 'delivered')
  assert.equal(receipt?.rows, 2)
  assert.match(receipt?.object ?? '', /^first\/\d{8}\/\d{8}T\d{6}Z_\d{8}T\d{6}Z_[0-9a-f]{8}\.log\.gz$/)
})

test('what is sent in is counted by dataset: records that were taken, records that did not fit, and bytes', async () => {
  const told = async (metric: string) => {
    const text = await (await fetch(`${house.service.url}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`spillway_received_${metric} `))
        ?.split(' ')[1] ?? 0,
    )
  }
  const figures = () =>
    Promise.all(
      [
        'records_total{dataset="dns_logs",outcome="accepted"}',
        'records_total{dataset="dns_logs",outcome="rejected"}',
        'bytes_total{dataset="dns_logs"}',
      ].map(told),
    )
  assert.deepEqual(await figures(), [0, 0, 0])
  const body = gzipSync('{"QueryName":"a.example"}\nnot JSON\n{"QueryName":"b.example"}\n')
  await house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'dns_logs' },
    headers: { 'content-encoding': 'gzip' },
    body,
  })
  assert.deepEqual(await figures(), [2, 1, gunzipSync(body).length])
})
