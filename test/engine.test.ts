/** The engine's child process, seen through the client that the service uses. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { makeLog } from '../src/base/index.ts'
import { type Engine, startEngine } from '../src/engine/index.ts'
import { connectToEngine, type RecordStore } from '../src/logs/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'spillway-engine-'))
const log = makeLog('silent')
let engine: Engine
let store: RecordStore

before(async () => {
  engine = await startEngine({ log }, { directory: join(directory, 'a') })
  store = connectToEngine(engine)
})
after(async () => {
  await store.close()
  await engine.close()
  rmSync(directory, { recursive: true, force: true })
})

const ask = async <T>(query: string, query_params: Record<string, unknown> = {}, settings = {}): Promise<T[]> => {
  const answer = await store.client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: settings })
  return answer.json<T>()
}

test('bound values arrive as they were, whatever characters they hold', async () => {
  const text = 'a\'b"\t;\\ \n-- \u0000 🙂'
  assert.deepEqual(await ask('SELECT {x:String} AS x, {y:Array(String)} AS y', { x: text, y: [text, ''] }), [
    { x: text, y: [text, ''] },
  ])
})

test('settings and parameters of one query are unknown to the next', async () => {
  await ask('SELECT {x:UInt8} AS x', { x: 1 }, { max_block_size: '77' })
  const [row] = await ask<{ size: string }>("SELECT toString(getSetting('max_block_size')) AS size")
  assert.notEqual(row?.size, '77')
  await assert.rejects(ask('SELECT {x:UInt8} AS x'), (error: ClickHouseError) => error.code === '456')
})

test('an error of the engine has its code and its name', async () => {
  await assert.rejects(ask('SELECT nonsense'), (error) => {
    assert.ok(error instanceof ClickHouseError)
    assert.equal(error.code, '47')
    assert.equal(error.type, 'UNKNOWN_IDENTIFIER')
    return true
  })
})

test('an error whose words are cut short is still an error of the engine', async () => {
  const query = "SELECT throwIf(1, 'before \\0 after')"
  await assert.rejects(ask(query), (error) => error instanceof ClickHouseError && error.code === '395')
})

test('rows come in as a body, by input() or plainly', async () => {
  const { client } = store
  await client.command({ query: 'CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a' })
  await client.insert({ table: 't', values: [{ a: 1, b: 'x' }], format: 'JSONEachRow' })
  const { stream } = await client.exec({
    query: "INSERT INTO t (a, b) SELECT n + 1, upper(s) FROM input('n UInt64, s String') FORMAT JSONEachRow",
    values: Readable.from([Buffer.from('{"n":5,"s":"abc;"}\n')], { objectMode: false }),
  })
  await stream.toArray()
  assert.deepEqual(await ask('SELECT toUInt32(a) AS a, b FROM t ORDER BY a'), [
    { a: 1, b: 'x' },
    { a: 6, b: 'ABC;' },
  ])
})

test('an answer is packed by the engine when asked for', async () => {
  const { stream, response_headers } = await store.client.exec({
    query: 'SELECT number FROM numbers(100000) FORMAT TSV',
    decompress_response_stream: false,
    http_headers: { 'Accept-Encoding': 'gzip' },
    clickhouse_settings: { enable_http_compression: 1 },
  })
  const lines = gunzipSync(Buffer.concat(await stream.toArray()))
    .toString()
    .trimEnd()
    .split('\n')
  assert.equal(response_headers['content-encoding'], 'gzip')
  assert.deepEqual([lines.length, lines.at(-1)], [100_000, '99999'])
})

test('many queries at once keep their values apart', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ask('SELECT {i:UInt32} AS i', { i })))
  assert.deepEqual(
    answers.map(([row]) => row),
    Array.from({ length: 30 }, (_, i) => ({ i })),
  )
})

const untilEnded = async (marker: string) => {
  // Bound values stand in the text of a running query, so the question itself has to be left out.
  const running = () =>
    ask("SELECT 1 FROM system.processes WHERE position(query, {marker:String}) > 0 AND query NOT LIKE '%processes%'", {
      marker,
    })
  for (let tries = 0; (await running()).length > 0; tries += 1) {
    assert.ok(tries < 100, 'the query still runs')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('a query ends when its reader goes in the middle of the answer', async () => {
  const { stream } = await store.client.exec({
    query: 'SELECT number AS marker1 FROM numbers(100000000000) FORMAT TSV',
  })
  stream.on('error', () => {})
  stream.destroy()
  await untilEnded('marker1')
})

test('a query ends when its asker gives up waiting, and others are answered meanwhile', async () => {
  const asking = new AbortController()
  const answer = store.client.exec({
    query:
      'SELECT count() AS marker2 FROM numbers(1000000000000) WHERE number % 7 = 3 SETTINGS max_threads = 1 FORMAT TSV',
    abort_signal: asking.signal,
  })
  assert.equal((await ask('SELECT 1 AS one')).length, 1)
  asking.abort()
  await assert.rejects(answer)
  await untilEnded('marker2')
})

test('a query that is killed by its id has ended when the answer comes', async () => {
  let isOver = false
  const insert = store.client
    .command({
      query: 'INSERT INTO t SELECT number, toString(sleepEachRow(1)) FROM numbers(60) SETTINGS max_block_size = 1',
      query_id: 'to-be-killed',
    })
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  for (let count = 0; count === 0; )
    count = (await ask("SELECT 1 FROM system.processes WHERE Settings['log_comment'] = 'to-be-killed'")).length
  const query = 'KILL QUERY WHERE query_id = {id:String} SYNC'
  await store.client.command({ query, query_params: { id: 'to-be-killed' } })
  await insert
  assert.ok(isOver)
  assert.deepEqual(await ask("SELECT 1 FROM t WHERE b = '0'"), [])
  await store.client.command({ query, query_params: { id: 'never-was' } })
})

test('a query that fails after its first bytes does not end like a whole answer', async () => {
  const { stream } = await store.client.exec({
    query: 'SELECT number, throwIf(number = 3000000) FROM numbers(10000000) SETTINGS max_threads = 1 FORMAT TSV',
  })
  await assert.rejects(stream.toArray())
})

test('killed with -9, the engine is back within seconds with all it had acknowledged', async () => {
  const pid = engine.pid()
  assert.ok(pid)
  process.kill(pid, 'SIGKILL')
  for (let tries = 0; ; tries += 1) {
    const row = await ask<{ n: number }>('SELECT toUInt32(count()) AS n FROM t').catch(() => undefined)
    if (row) {
      assert.equal(row[0]?.n, 2)
      break
    }
    assert.ok(tries < 100, 'the engine did not come back')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.notEqual(engine.pid(), pid)
})

test('its directory is closed to others', () => {
  assert.equal(statSync(join(directory, 'a')).mode & 0o777, 0o700)
})

test('with an address and a password it serves several processes, and only those who know it', async () => {
  const listen = { host: '127.0.0.1', port: 0, user: 'spill', password: 'p@ss:w/rd' }
  const server = await startEngine({ log }, { directory: join(directory, 'tcp'), listen })
  assert.ok('url' in server.address)
  const client = createClient({ url: server.address.url })
  const url = new URL(server.address.url)
  url.password = 'wrong'
  const stranger = createClient({ url: url.href, log: { level: ClickHouseLogLevel.OFF } })
  try {
    const answer = await client.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' })
    assert.deepEqual(await answer.json(), [{ one: 1 }])
    await assert.rejects(stranger.query({ query: 'SELECT 1' }), (error: ClickHouseError) => error.code === '516')
  } finally {
    await Promise.all([client.close(), stranger.close()])
    await server.close()
  }
})

test('a path too long for a socket is no obstacle', async () => {
  const long = join(directory, 'long-'.repeat(30))
  mkdirSync(long)
  const other = await startEngine({ log }, { directory: long })
  const { client, close } = connectToEngine(other)
  try {
    assert.equal((await client.ping()).success, true)
  } finally {
    await close()
    await other.close()
  }
})

test('when its parent is killed with -9 it goes too, and its directory can be opened again', async () => {
  const place = join(directory, 'orphan')
  const parent = fork(join(import.meta.dirname, 'engine-parent.ts'), [place], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await new Promise((resolve) => parent.once('message', resolve))
  parent.kill('SIGKILL')
  const again = await startEngine({ log }, { directory: place })
  await again.close()
})
