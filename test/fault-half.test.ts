/** Half an answer of ClickHouse that ends as if it were whole: by a proxy in between, or by an old server in trouble. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { makeLog, systemClock } from '../src/base/index.ts'
import { credentialHeaders } from '../src/contract/index.ts'
import {
  judgeOutputOptions,
  makeGenerator,
  makeRegistry,
  plainSelection,
  type Selection,
  toLine,
} from '../src/datasets/index.ts'
import { type Engine, startEngine } from '../src/engine/index.ts'
import {
  activity,
  append,
  connectByUrl,
  countRecords,
  type LogNeeds,
  makeIngest,
  makeTables,
  makeWatermark,
  newestStamp,
  scan,
  spoolParts,
} from '../src/logs/index.ts'
import { type ExportHouse, eventually, rays, startExportHouse } from './journeys/export-house.ts'
import { aScope, bodyOf } from './logs-store.ts'

/** What the proxy makes of a whole answer; undefined lets it pass. */
type Spoil = (answer: Buffer, encoding: string) => Buffer | undefined
let spoil: { readonly when: RegExp; readonly by: Spoil } | undefined
let spoilt = 0

const unpack = { gzip: gunzipSync, zstd: zstdDecompressSync, identity: (bytes: Buffer) => bytes } as const
const pack = { gzip: gzipSync, zstd: zstdCompressSync, identity: (bytes: Buffer) => bytes } as const
const repacked = (bytes: Buffer, encoding: string, change: (raw: Buffer) => Buffer): Buffer => {
  const form = encoding as keyof typeof pack
  return pack[form](change(unpack[form](bytes)))
}

/** Up to a line end near the middle; an answer without lines is cut in the middle. */
const halfOf = (raw: Buffer): Buffer => {
  const half = raw.length >> 1
  return raw.subarray(0, raw.lastIndexOf('\n', half) + 1 || half)
}

const spoils: Readonly<Record<string, Spoil>> = {
  'cut at a line end and packed anew': (answer, encoding) => repacked(answer, encoding, halfOf),
  'cut as it stands': (answer) => answer.subarray(0, answer.length >> 1),
  'cut before its last line': (answer, encoding) =>
    repacked(answer, encoding, (raw) => raw.subarray(0, raw.lastIndexOf('\n', raw.length - 2) + 1)),
  'ended by the words of an error': (answer, encoding) =>
    repacked(answer, encoding, (raw) =>
      Buffer.concat([raw, Buffer.from('Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n')]),
    ),
  emptied: (_, encoding) => pack[encoding as keyof typeof pack](Buffer.alloc(0)),
}

let directory: string
let engine: Engine
let proxy: Server
let needs: LogNeeds
let house: ExportHouse
const log = makeLog('silent')
const scope = aScope('5')
const registry = makeRegistry()
const dataset = (registry.ok && registry.value.find('http_requests', 'zone')) || assert.fail()
const window = () => ({ from: 0n, to: needs.watermark.read() })

async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const upstream = new URL('url' in engine.address ? engine.address.url : '')
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const query = new URL(asked.url ?? '', upstream).searchParams.get('query') ?? body.toString('latin1')
  const call = request({ ...upstreamOf(upstream), path: asked.url, method: asked.method, headers: asked.headers })
  call.once('error', () => answer.destroy())
  call.once('response', async (inner) => {
    const whole = Buffer.concat(await inner.toArray().catch(() => []))
    const encoding = inner.headers['content-encoding'] ?? 'identity'
    const half = spoil?.when.test(query) && inner.statusCode === 200 ? spoil.by(whole, encoding) : undefined
    if (half) spoilt += 1
    answer.writeHead(inner.statusCode ?? 500, inner.headers)
    answer.end(half ?? whole)
  })
  call.end(body)
}

const upstreamOf = ({ hostname, port }: URL) => ({ host: hostname, port })

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-half-'))
  const listen = { host: '127.0.0.1', port: 0, user: 'spillway', password: 'half' }
  engine = await startEngine({ log }, { directory: join(directory, 'engine'), listen })
  proxy = createServer({ maxHeaderSize: 1 << 20 }, pass).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = Object.assign(new URL('url' in engine.address ? engine.address.url : ''), {
    port: (proxy.address() as AddressInfo).port,
  }).href
  const store = connectByUrl(url)
  const datasets = registry.ok ? registry.value : assert.fail()
  await makeTables(store, datasets.all)
  const watermark = makeWatermark(systemClock)
  const some = { store, datasets, now: systemClock, watermark, spool: join(directory, 'spool'), log }
  needs = { ...some, ingest: makeIngest(some) }
  const odd = ['plain', 'quote " and \\', 'line\nend', 'Ünïcode \u2028 /', '$' + '{x}']
  const generator = makeGenerator(dataset, 11)
  const lines = rays(300).map((RayID, at) => toLine({ ...generator.next(), RayID, ClientRequestURI: odd[at % 5] }))
  await append(needs, scope, dataset, bodyOf(lines.join('\n')))
  house = await startExportHouse({
    environment: { SPILLWAY_CLICKHOUSE_URL: url, SPILLWAY_FETCH_MIN_AGE_SECONDS: '0' },
  })
})

after(async () => {
  await house?.stop()
  await needs?.store.close()
  proxy?.close()
  await engine?.close()
  await rm(directory, { recursive: true, force: true })
})

afterEach(() => {
  spoil = undefined
})

const fields = ['RayID', 'ClientRequestURI', 'EdgeResponseStatus']
const selectionOf = (options: Record<string, unknown>): Selection => {
  const judged = judgeOutputOptions({ field_names: fields, ...options }, dataset)
  return judged.ok ? judged.value : assert.fail(JSON.stringify(judged.reasons))
}
const forms: Readonly<Record<string, Selection>> = {
  gzip: selectionOf({}),
  zstd: selectionOf({ compression: 'zstd' }),
  'plain text': selectionOf({ compression: 'none' }),
  'comma-separated values': selectionOf({ output_type: 'csv' }),
  'one array': selectionOf({ batch_prefix: '[', batch_suffix: ']', record_suffix: '}', record_delimiter: ',\n' }),
  'records without line ends': selectionOf({
    // All of them, since only their length tells.
    field_names: dataset.fields.map(({ name }) => name),
    record_suffix: '}',
    record_delimiter: ' ',
    batch_suffix: '.',
  }),
  'one line each, all the same': selectionOf({ record_template: 'hit' }),
  parquet: selectionOf({ output_type: 'parquet' }),
}

const unavailable = { refusal: 'unavailable' }

for (const [form, selection] of Object.entries(forms))
  test(`half an answer never becomes a part: ${form}`, async () => {
    const spool = (limits = {}) => spoolParts(needs, scope, dataset, window(), selection, { name: 'half', ...limits })
    const whole = await spool()
    assert.equal(
      whole.reduce((sum, part) => sum + part.rows, 0),
      300,
    )
    for (const [how, by] of Object.entries(spoils)) {
      spoil = { when: /^SELECT.*FORMAT (Template|Parquet)/s, by }
      for (const limits of form === 'gzip' ? [{}, { maxRecords: 150 }, { maxBytes: 10_000 }] : [{}]) {
        spoilt = 0
        await assert.rejects(spool(limits), unavailable, `${how} ${JSON.stringify(limits)}`)
        assert.ok(spoilt > 0)
      }
    }
    assert.deepEqual(await readdir(needs.spool), [])
    spoil = undefined
    assert.deepEqual(await spool(), whole)
    await rm(needs.spool, { recursive: true })
  })

test('half a list of places never makes fewer parts', async () => {
  for (const by of [spoils.emptied!, (answer: Buffer) => answer.subarray(0, 16 * 100)]) {
    spoil = { when: /FORMAT RowBinary/, by }
    const spooling = spoolParts(needs, scope, dataset, window(), forms.gzip!, { name: 'half', maxRecords: 100 })
    await assert.rejects(spooling, unavailable)
  }
})

for (const encoding of ['identity', 'gzip'] as const)
  test(`half an answer never ends a log fetch like a whole one: ${encoding}`, async () => {
    const selection = { ...plainSelection(dataset), fields }
    const fetch = async (count?: number) =>
      (await scan(needs, scope, dataset, window(), selection, { encoding, ...(count ? { count } : {}) })).toArray()
    const whole = unpack[encoding](Buffer.concat(await fetch())).toString()
    assert.equal(whole.split('\n').length, 301)
    for (const [how, by] of Object.entries(spoils)) {
      spoil = { when: /FORMAT Template/, by }
      await assert.rejects(fetch(), unavailable, how)
      await assert.rejects(fetch(20), unavailable, how)
    }
    spoil = undefined
    assert.equal(unpack[encoding](Buffer.concat(await fetch())).toString(), whole)
    assert.equal(
      unpack[encoding](Buffer.concat(await fetch(20)))
        .toString()
        .split('\n').length,
      21,
    )
    const nobody = await scan(needs, aScope('6'), dataset, window(), selection, { encoding })
    assert.equal(unpack[encoding](Buffer.concat(await nobody.toArray())).toString(), '')
  })

test('half a small answer is none: not a count of nothing, not fewer scopes, not a key that nobody has used', async () => {
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    'SELECT count\\(': () => countRecords(needs, scope, dataset, window(), forms.gzip!),
    'AS first': () => activity(needs, window()),
    'max\\(at\\)': () => newestStamp(needs),
    'SELECT body': () => append(needs, scope, dataset, bodyOf('{"RayID":"once"}'), { idempotencyKey: 'once' }),
  }
  for (const [query, ask] of Object.entries(asked)) {
    await ask()
    for (const by of [spoils.emptied!, halfOf, (answer: Buffer) => answer.subarray(0, answer.length - 3)]) {
      spoil = { when: new RegExp(query), by }
      spoilt = 0
      await assert.rejects(ask(), unavailable, query)
      assert.ok(spoilt > 0, query)
      spoil = undefined
    }
  }
})

test('a job waits behind a proxy that halves answers, is not blamed, says so in the log, and loses nothing', async () => {
  const job = await house.toFiles('whole')
  spoil = { when: /FORMAT Template/, by: spoils['cut at a line end and packed anew']! }
  spoilt = 0
  await house.send(...rays(200, 'half-'))
  await eventually(async () => spoilt >= 2)
  assert.deepEqual(await house.filed('whole'), [])
  assert.ok(house.logLines.some((line) => line.includes('a part could not be made; it is tried again')))
  assert.equal((await house.status(job)).failures, 0)
  const answer = await fetch(
    `${house.baseUrl}/zones/${house.zone}/logs/received?start=${Math.floor(Date.now() / 1000) - 60}&end=${Math.floor(Date.now() / 1000)}&fields=RayID`,
    { headers: credentialHeaders(house.credential) },
  )
  await assert.rejects(answer.text(), 'a log fetch breaks off and does not end')
  spoil = undefined
  const filed = await eventually(async () => {
    const objects = (await house.filed('whole')).flat()
    return objects.length > 0 && objects
  })
  assert.deepEqual(filed, rays(200, 'half-'))
})
