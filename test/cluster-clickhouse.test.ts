/**
 * ClickHouse by URL: TLS, credentials, patience and inserts with an unknown end. No real server is at hand: the engine
 * child listens on TCP with a password and plays it, behind a proxy that speaks TLS or answers errors in its place. What a
 * replicated cluster does itself (quorum, replicas that lag) is not tested here; its errors are.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeLog, problems, systemClock } from '../src/base/index.ts'
import { type Engine, startEngine } from '../src/engine/index.ts'
import {
  append,
  connectByUrl,
  type LogNeeds,
  makeIngest,
  makeTables,
  makeWatermark,
  newestStamp,
} from '../src/logs/index.ts'
import { testAuthority } from './endpoints/index.ts'
import { startHouse } from './house.ts'
import { aScope, openTestStore, type TestStore } from './logs-store.ts'

const log = makeLog('silent')
const user = { user: 'spillway', password: 'p@ss/w:rd' }
let store: TestStore
let engine: Engine
let upstream: URL

/** Answers in place of the engine: an error code, before or after the engine has done what it was asked. */
type Trouble = { readonly when: Pick<RegExp, 'test'>; readonly code: number; readonly isDone: boolean; times: number }
let troubles: Trouble[] = []
let seen: { readonly query: string; readonly settings: URLSearchParams }[] = []
/** Whether the server knows nothing of the settings that came lately. */
let isOld = false
let plain: Server
let secure: Server

before(async () => {
  store = await openTestStore()
  engine = await startEngine(
    { log },
    { directory: join(store.directory, 'server'), listen: { host: '127.0.0.1', port: 0, ...user } },
  )
  assert.ok('url' in engine.address)
  upstream = new URL(engine.address.url)
  // A statement over all columns stands in the address.
  const maxHeaderSize = 1 << 20
  plain = createServer({ maxHeaderSize }, pass).listen(0, '127.0.0.1')
  secure = createTlsServer({ maxHeaderSize, ...testAuthority().issue(['127.0.0.1']) }, pass).listen(0, '127.0.0.1')
  await Promise.all([plain, secure].map((server) => once(server, 'listening')))
})
after(async () => {
  plain.close()
  secure.close()
  await engine.close()
  await store.close()
})

async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of asked) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const settings = new URL(asked.url ?? '', upstream).searchParams
  const query = settings.get('query') ?? body.toString('latin1', 0, 2000)
  seen.push({ query, settings })
  const trouble = troubles.find(({ when, times }) => times > 0 && when.test(query))
  if (trouble) trouble.times -= 1
  const fail = () =>
    answer
      .writeHead(500, { 'x-clickhouse-exception-code': String(trouble?.code) })
      .end(`Code: ${trouble?.code}. DB::Exception: made up by a test. (MADE_UP) (version 1)`)
  if (trouble && !trouble.isDone) return void fail()
  const url = new URL(asked.url ?? '', upstream)
  const inAddress = url.searchParams.get('query')
  if (inAddress !== null) url.searchParams.set('query', alone(inAddress))
  const sent = inAddress === null ? Buffer.from(alone(body.toString('latin1')), 'latin1') : body
  const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = asked.headers
  const call = request(
    { host: upstream.hostname, port: upstream.port, path: url.pathname + url.search, method: asked.method, headers },
    (inner) => {
      if (trouble) return void inner.resume().once('end', fail)
      answer.writeHead(inner.statusCode ?? 500, inner.headers)
      inner.pipe(answer)
    },
  )
  call.once('error', () => answer.destroy())
  call.end(sent)
}

/** What only a cluster understands, in the words of a single server. */
const alone = (query: string): string =>
  query
    .replace(/FROM system\.(?:merge_tree_)?settings\b/, (from) => (isOld ? "FROM (SELECT '' AS name)" : from))
    .replace(/ ON CLUSTER `[^`]+`/, '')
    .replace('ReplicatedMergeTree', 'MergeTree')
    .replace(/(?<!non_)replicated_deduplication_window/, 'non_replicated_deduplication_window')

const urlOf = (server: Server, scheme: string): string => {
  const url = new URL(upstream)
  url.protocol = scheme
  url.port = String((server.address() as AddressInfo).port)
  return url.href
}

/** A store by URL with its tables, and what ingest needs on top. */
async function needsOf(options: Parameters<typeof connectByUrl>[1] = {}): Promise<LogNeeds> {
  const byUrl = connectByUrl(urlOf(plain, 'http:'), options)
  const watermark = makeWatermark(systemClock)
  const datasets = store.needs.datasets
  await makeTables(byUrl, datasets.all, { cluster: options.cluster })
  const some = { store: byUrl, datasets, now: systemClock, watermark, spool: store.directory, log }
  return { ...some, ingest: makeIngest(some) }
}

async function* lines(...rays: readonly string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(rays.map((RayID) => `${JSON.stringify({ RayID })}\n`).join(''))
}

const takeIn = (needs: LogNeeds, ...rays: readonly string[]) => {
  const dataset = needs.datasets.find('http_requests', 'zone') ?? assert.fail()
  return append(needs, aScope('7'), dataset, lines(...rays))
}

async function stored(needs: LogNeeds, like: string): Promise<string[]> {
  const answer = await needs.store.client.query({
    query: 'SELECT RayID FROM records_http_requests WHERE RayID LIKE {like:String} ORDER BY _at, _seq',
    query_params: { like },
    format: 'JSONEachRow',
  })
  return (await answer.json<{ RayID: string }>()).map(({ RayID }) => RayID)
}

test('on a cluster tables are made everywhere, inserts wait for most replicas and reads for all inserts', async () => {
  seen = []
  const needs = await needsOf({ cluster: 'logs-eu' })
  await takeIn(needs, 'q1')
  assert.deepEqual(await stored(needs, 'q1'), ['q1'])
  const made = seen.filter(({ query }) => query.startsWith('CREATE TABLE'))
  assert.ok(made.length > 1 && made.every(({ query }) => query.includes(' ON CLUSTER `logs-eu` (')))
  const insert = seen.find(({ query }) => query.startsWith('INSERT INTO `records_http_requests`'))
  assert.deepEqual(
    ['insert_quorum', 'insert_quorum_parallel', 'select_sequential_consistency'].map((name) =>
      insert?.settings.get(name),
    ),
    ['auto', '0', '1'],
  )
  assert.equal(insert?.settings.get('insert_deduplication_token'), insert?.settings.get('query_id'))
  assert.equal(seen.at(-1)?.settings.get('select_sequential_consistency'), '1')
  await needs.store.close()
})

test('a server is asked once whether it knows how names are told apart, and an old one is told nothing new', async () => {
  const told = async (...rays: readonly string[]) => {
    seen = []
    const needs = await needsOf()
    for (const ray of rays) await takeIn(needs, ray)
    assert.deepEqual(await stored(needs, `${rays[0]?.[0]}%`), rays)
    await needs.store.close()
    const asks = seen.filter(({ query }) => query.includes('system.settings'))
    const modes = seen
      .filter(({ query }) => query.startsWith('INSERT INTO `records'))
      .map(({ settings }) => settings.get('input_format_column_name_matching_mode'))
    return [asks.length, ...modes]
  }
  assert.deepEqual(await told('n1', 'n2'), [1, 'match_case', 'match_case'])
  isOld = true
  assert.deepEqual(await told('o1', 'o2'), [1, null, null])
  isOld = false
})

for (const [why, when, code] of [
  ['lets nobody in', /./, 516],
  ['takes no insert', /^INSERT/, 497],
  ['says nothing of its settings', /system\.settings/, 497],
] as const)
  test(`records are kept back, not refused, while a server ${why}`, async () => {
    const needs = await needsOf()
    troubles = [{ when, code, isDone: false, times: Number.POSITIVE_INFINITY }]
    await assert.rejects(takeIn(needs, 'k1', 'k2'), { refusal: 'unavailable' })
    troubles = []
    assert.equal((await takeIn(needs, 'k3')).accepted, 1)
    await needs.store.close()
  })

test('lines that could not be looked at for want of memory are kept back, not refused', async () => {
  const needs = await needsOf()
  let looks = 0
  // The first look is at an empty record.
  const fromTheSecondOn = { test: (query: string) => query.startsWith('INSERT INTO FUNCTION null') && ++looks > 1 }
  const always = { isDone: false, times: Number.POSITIVE_INFINITY }
  troubles = [
    { when: /^INSERT INTO `records/, code: 27, ...always },
    { when: fromTheSecondOn, code: 241, ...always },
  ]
  await assert.rejects(takeIn(needs, 'l1', 'l2'), { refusal: 'unavailable' })
  assert.equal(looks, 2)
  troubles = []
  await needs.store.close()
})

test('an insert that must wait for another one, and a query for a replica that lags behind, are said again', async () => {
  const needs = await needsOf({ cluster: 'logs-eu' })
  troubles = [
    { when: /^INSERT INTO `records/, code: 286, isDone: false, times: 3 },
    { when: /^SELECT toString\(max\(at\)\)/, code: 289, isDone: false, times: 2 },
  ]
  const { accepted } = await takeIn(needs, 'w1', 'w2')
  assert.equal(accepted, 2)
  assert.ok((await newestStamp(needs)) > 0n)
  assert.deepEqual(await stored(needs, 'w%'), ['w1', 'w2'])
  assert.deepEqual(
    troubles.map(({ times }) => times),
    [0, 0],
  )
  await needs.store.close()
})

test('an insert of which the cluster does not know the end is neither lost nor there twice', async () => {
  const needs = await needsOf({ cluster: 'logs-eu' })
  // First it is done and not known, then it is not done and not known.
  for (const isDone of [true, false]) {
    troubles = [{ when: /^INSERT INTO `records/, code: 319, isDone, times: 2 }]
    await takeIn(needs, `u-${isDone}`)
    assert.deepEqual(await stored(needs, `u-${isDone}`), [`u-${isDone}`])
  }
  assert.ok(needs.watermark.read() > 0n, 'and the watermark goes on')
  await needs.store.close()
})

test('a store that stays in trouble is told as unavailable, not as our mistake', async () => {
  const needs = await needsOf()
  troubles = [{ when: /^INSERT INTO `records/, code: 241, isDone: false, times: 1 }]
  await assert.rejects(takeIn(needs, 'm1'), { name: problems.unavailable('').name, refusal: 'unavailable' })
  assert.deepEqual(await stored(needs, 'm1'), [])
  await needs.store.close()
})

test('a server with a certificate of an own authority is believed only when that authority is named', async () => {
  const stranger = connectByUrl(urlOf(secure, 'https:'))
  await assert.rejects(stranger.client.query({ query: 'SELECT 1' }), /certificate/)
  await stranger.close()
  const known = connectByUrl(urlOf(secure, 'https:'), { authority: testAuthority().cert })
  const answer = await known.client.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' })
  assert.deepEqual(await answer.json(), [{ one: 1 }])
  await known.close()
})

test('a service starts on https with the authority in a file, and refuses a file that is not there', async () => {
  const file = join(store.directory, 'authority.pem')
  await writeFile(file, testAuthority().cert)
  const environment = { SPILLWAY_CLICKHOUSE_URL: urlOf(secure, 'https:'), SPILLWAY_CLICKHOUSE_CLUSTER: 'logs-eu' }
  const house = await startHouse({ environment: { ...environment, SPILLWAY_CLICKHOUSE_CA_FILE: file } })
  assert.equal((await fetch(`${house.service.url}/readyz`)).status, 200)
  await house.stop()
  await assert.rejects(
    startHouse({ environment: { ...environment, SPILLWAY_CLICKHOUSE_CA_FILE: `${file}.not` } }),
    /SPILLWAY_CLICKHOUSE_CA_FILE .* cannot be read \(ENOENT\)/,
  )
})
