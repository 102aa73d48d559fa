/** Live tail: sessions, their WebSockets, and their limits. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { StatementSync } from 'node:sqlite'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { second } from '../src/base/index.ts'
import { access, logs, makeClient, preview, Refused, tail } from '../src/contract/index.ts'
import { type Dataset, plainSelection } from '../src/datasets/index.ts'
import { append, makeTails, type TailReader } from '../src/logs/index.ts'
import { type House, startHouse } from './house.ts'
import { appendPatiently, aScope, bodyOf, openTestStore } from './logs-store.ts'
import { say } from './terminal.ts'

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

const open: WebSocket[] = []
afterEach(async () => {
  for (const socket of open.splice(0)) {
    if (socket.readyState === WebSocket.CLOSED) continue
    socket.terminate()
    await new Promise((resolve) => socket.once('close', resolve))
  }
})

type Body = NonNullable<Parameters<typeof house.client.call<typeof tail.openTail>>[1]['body']>
const openTail = (body: Body = {}) => house.client.call(tail.openTail, { scope: house.zoneScope, body })

/** Connects, and gathers the lines of every message. */
async function read(address: string): Promise<{ socket: WebSocket; lines: Record<string, unknown>[] }> {
  const socket = new WebSocket(address)
  const lines: Record<string, unknown>[] = []
  socket.on('message', (data, isBinary) => {
    assert.equal(isBinary, false)
    const text = String(data)
    assert.ok(text.endsWith('\n'))
    lines.push(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    )
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (_, response) => reject(new Error(`refused with ${response.statusCode}`)))
    socket.once('error', reject)
  })
  open.push(socket)
  return { socket, lines }
}

const send = (records: readonly object[]) =>
  house.client.call(logs.ingest, {
    scope: house.zoneScope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(records.map((record) => JSON.stringify(record)).join('\n')),
  })

async function until(isSo: () => boolean, withinMs = 8000): Promise<void> {
  for (const end = Date.now() + withinMs; !isSo(); ) {
    if (Date.now() > end) assert.fail('it did not happen in time')
    await wait(20)
  }
}

test('a session shows the chosen fields of the records that pass its filter, each with its sample interval', async () => {
  const filter = JSON.stringify({ where: { key: 'EdgeResponseStatus', operator: 'geq', value: 500 } })
  const session = await openTail({
    fields: 'RayID,EdgeResponseStatus,EdgeStartTimestamp',
    filter,
    kind: 'instant-logs',
  })
  assert.match(session.session_id, /^[0-9a-f]{64}$/)
  assert.equal(
    session.destination_conf,
    `${house.service.url.replace('http', 'ws')}/instant-logs/ws/sessions/${session.session_id}`,
  )
  assert.deepEqual([session.sample, session.filter, session.kind], [1, filter, 'instant-logs'])
  await send([{ RayID: 'before', EdgeResponseStatus: 500 }])
  const { lines } = await read(session.destination_conf)
  await send([
    { RayID: 'a', EdgeResponseStatus: 503, EdgeStartTimestamp: '2026-01-02T03:04:05Z' },
    { RayID: 'b', EdgeResponseStatus: 200 },
    { RayID: 'c', EdgeResponseStatus: '500' },
  ])
  await until(() => lines.length >= 2)
  assert.deepEqual(lines, [
    { RayID: 'a', EdgeResponseStatus: 503, EdgeStartTimestamp: 1767323045000000000, sampleInterval: 1 },
    { RayID: 'c', EdgeResponseStatus: 500, EdgeStartTimestamp: 0, sampleInterval: 1 },
  ])
})

test('one record in so many is shown, and says how many it stands for', async () => {
  const { destination_conf } = await openTail({ fields: 'RayID', sample: 10 })
  const { lines } = await read(destination_conf)
  await send(Array.from({ length: 1000 }, (_, at) => ({ RayID: String(at) })))
  await until(() => lines.length > 0)
  await wait(600)
  assert.ok(lines.length > 50 && lines.length < 170, `${lines.length} of 1000`)
  assert.ok(lines.every((line) => line.sampleInterval === 10))
})

test('filters may be spelled as clients of instant logs spell them', async () => {
  const where = {
    and: [
      { key: 'ClientCountry', operator: 'neq', value: 'ca' },
      { key: 'EdgeResponseStatus', operator: 'in', value: '200,201' },
    ],
  }
  const { destination_conf } = await openTail({ fields: 'RayID', filter: JSON.stringify({ where }) })
  const { lines } = await read(destination_conf)
  await send([
    { RayID: 'no', ClientCountry: 'ca', EdgeResponseStatus: 200 },
    { RayID: 'yes', ClientCountry: 'de', EdgeResponseStatus: 201 },
    { RayID: 'neither', ClientCountry: 'de', EdgeResponseStatus: 202 },
  ])
  await until(() => lines.length > 0)
  assert.deepEqual(
    lines.map((line) => line.RayID),
    ['yes'],
  )
})

test('a mistake is said with its place', async () => {
  const refused = async (body: object) => {
    const error = await openTail(body as Body).then(
      () => assert.fail('it was taken'),
      (error: unknown) => error as Refused,
    )
    assert.ok(error instanceof Refused)
    return [error.status, error.errors[0]?.source?.pointer]
  }
  assert.deepEqual(await refused({ fields: 'RayID,Nonsense' }), [400, '/fields'])
  assert.deepEqual(await refused({ filter: '{"where":{"key":"RayID","operator":"gt","value":1}}' }), [400, '/filter'])
  assert.deepEqual(await refused({ sample: 0 }), [400, '/sample'])
  assert.deepEqual(await refused({ kind: 'edge' }), [400, '/kind'])
})

test('a zone has one session: it is listed, kept while somebody reads it, and gives way when nobody does', async () => {
  const list = () => house.client.call(tail.listTails, { scope: house.zoneScope })
  const first = await openTail()
  assert.deepEqual(await list(), [first])
  const second = await openTail()
  assert.deepEqual(await list(), [second])
  await assert.rejects(read(first.destination_conf), /refused with 404/)
  const { socket } = await read(second.destination_conf)
  await assert.rejects(openTail(), (error) => error instanceof Refused && error.status === 403)
  socket.close()
  await new Promise((resolve) => socket.once('close', resolve))
  await wait(50)
  const third = await openTail()
  assert.notEqual(third.session_id, second.session_id)
})

test('a session is over an hour after it was opened, and five minutes after nobody reads it', async () => {
  const unread = await openTail()
  house.tick(299n * second)
  assert.equal((await house.client.call(tail.listTails, { scope: house.zoneScope })).length, 1)
  house.tick(1n * second)
  assert.equal((await house.client.call(tail.listTails, { scope: house.zoneScope })).length, 0)
  await assert.rejects(read(unread.destination_conf), /refused with 404/)
  const { destination_conf } = await openTail()
  const { socket } = await read(destination_conf)
  const closed = new Promise<[number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, String(reason)])),
  )
  house.tick(3600n * second)
  assert.deepEqual(await closed, [1000, 'the session is over'])
})

test('a session goes on while the metadata database is away, and ends with the token that opened it', async () => {
  const body = { name: 'tail', permissions: ['logs:edit' as const] }
  const token = await house.client.call(access.createToken, { scope: house.accountScope, body })
  const client = makeClient({ baseUrl: house.baseUrl, credential: { token: token.value ?? '' } })
  const { destination_conf } = await client.call(tail.openTail, { scope: house.zoneScope, body: { fields: 'RayID' } })
  const { socket, lines } = await read(destination_conf)
  const closed = once(socket, 'close')

  const { all } = StatementSync.prototype
  let unanswered = 0
  StatementSync.prototype.all = function (this: StatementSync, ...values: never[]) {
    if (!this.sourceSQL.includes('"tokens"')) return Reflect.apply(all, this, values)
    unanswered += 1
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
  }
  try {
    await until(() => unanswered >= 2)
  } finally {
    StatementSync.prototype.all = all
  }
  await send([{ RayID: 'afterwards' }])
  await until(() => lines.length === 1)

  await house.client.call(access.revokeToken, { scope: house.accountScope, params: { token_id: token.id } })
  await closed
})

test('too many connections to a session are refused with 429', async () => {
  const { destination_conf } = await openTail()
  for (let reader = 0; reader < 5; reader++) await read(destination_conf)
  await assert.rejects(read(destination_conf), /refused with 429/)
  for (const socket of open.splice(0)) {
    socket.close()
    await new Promise((resolve) => socket.once('close', resolve))
  }
  for (let tries = 5; tries < 20; tries++) {
    const { socket } = await read(destination_conf)
    socket.close()
    await new Promise((resolve) => socket.once('close', resolve))
  }
  await assert.rejects(read(destination_conf), /refused with 429/)
})

test('the id of a session stands in no log line, and no other upgrade is taken', async () => {
  const { session_id, destination_conf } = await openTail()
  await read(destination_conf)
  const plain = await fetch(destination_conf.replace('ws', 'http'))
  assert.equal(plain.status, 404)
  assert.ok(!(await plain.text()).includes(session_id))
  assert.ok(!house.logLines.some((line) => line.includes(session_id)))
  const other = request(`${house.service.url}/healthz`, { headers: { connection: 'upgrade', upgrade: 'h2c' } }).end()
  const [answer] = (await once(other, 'response')) as [IncomingMessage]
  answer.resume()
  assert.equal(answer.statusCode, 200)
  await assert.rejects(read(`${house.service.url.replace('http', 'ws')}/v4/user`), /refused with 400/)
})

test('a reader that does not keep up hears how many records it missed, and a restart of the engine costs it none', async () => {
  const store = await openTestStore()
  try {
    const dataset = store.needs.datasets.find('http_requests', 'zone') as Dataset
    const limits = {
      lifeSeconds: 60,
      emptySeconds: 60,
      readers: 5,
      arrivalsPerMinute: 9,
      stepMs: 20,
      records: 100,
      bytes: 100_000,
    }
    const tails = makeTails(store.needs, limits)
    const { id } = tails.open(aScope(), {
      dataset,
      selection: { ...plainSelection(dataset), fields: ['RayID'] },
      fields: 'RayID',
      sample: 1,
      filter: '',
    })
    const slow = { full: true, got: [] as string[] }
    const reader = (state: typeof slow): TailReader => ({
      waiting: () => (state.full ? 1 << 30 : 0),
      send: (frame) => void state.got.push(String(frame)),
      end: () => {},
    })
    const quick = { full: false, got: [] as string[] }
    tails.join(id, reader(slow))
    tails.join(id, reader(quick))
    const text = Array.from({ length: 250 }, (_, at) => JSON.stringify({ RayID: `r${at}` })).join('\n')
    await append(store.needs, aScope(), dataset, bodyOf(text))
    await until(() => quick.got.length === 1)
    assert.equal(quick.got[0]?.split('\n').length, 101)
    assert.deepEqual(slow.got, [])
    slow.full = false
    await append(store.needs, aScope(), dataset, bodyOf('{"RayID":"last"}'))
    await until(() => slow.got.length === 2 && quick.got.length === 3)
    assert.deepEqual(slow.got, ['{"dropped":250}\n', '{"RayID":"last"}\n'])
    assert.deepEqual(quick.got.slice(1), ['{"dropped":150}\n', '{"RayID":"last"}\n'])

    await store.engine?.restart('a test of live tail')
    await appendPatiently(store.needs, aScope(), dataset, '{"RayID":"after the restart"}', 'once')
    await until(() => quick.got.length === 4)
    assert.equal(quick.got[3], '{"RayID":"after the restart"}\n')
    tails.close()
  } finally {
    await store.close()
  }
})

async function spillway(...argv: string[]) {
  const flags = ['--url', house.baseUrl, '--email', house.credential.email, '--key', house.credential.key]
  const { code, out, err } = await say([...argv, ...flags])
  return { code, lines: [out, err].flatMap((text) => (text === '' ? [] : text.split('\n'))) }
}

test('spillway tail prints records until it has as many as were asked for', async () => {
  const printed = spillway('tail', '--zone', house.zone, '--fields', 'RayID', '--count', '2')
  let done = false
  const result = printed.finally(() => {
    done = true
  })
  for (let at = 0; !done; at++) {
    await send([{ RayID: `t${at}` }])
    await wait(200)
  }
  const { code, lines } = await result
  assert.equal(code, 0)
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /^\{"RayID":"t\d+","sampleInterval":1\}$/)
})

test('a preview shows the first ten records as a job would write them, and what an hour comes to', async () => {
  const { client } = house
  const fresh = { name: 'preview.test', account: { id: house.account } }
  const scope = { zone: (await client.call(access.createZone, { body: fresh })).id }
  const ask = (body: object) => client.call(preview.previewJob, { scope, body })
  const nothing = await ask({})
  assert.deepEqual([nothing.text, nothing.records, nothing.rows_per_hour, nothing.bytes_per_hour], ['', 0, 0, 0])
  const records = Array.from({ length: 25 }, (_, at) => ({
    RayID: `r${10 + at}`,
    EdgeResponseStatus: 200 + (at % 2),
  }))
  await client.call(logs.ingest, {
    scope,
    params: { dataset: 'http_requests' },
    body: Buffer.from(records.map((record) => JSON.stringify(record)).join('\n')),
  })
  const plain = await ask({ logfetch_options: 'fields=RayID' })
  assert.equal(
    plain.text,
    records
      .slice(0, 10)
      .map(({ RayID }) => `{"RayID":"${RayID}"}\n`)
      .join(''),
  )
  assert.deepEqual([plain.records, plain.rows_per_hour, plain.bytes_per_hour], [10, 25, 25 * 16])
  const framed = await ask({
    output_options: { field_names: ['RayID'], output_type: 'csv', batch_prefix: 'RayID\n' },
    filter: '{"where":{"key":"EdgeResponseStatus","operator":"eq","value":201}}',
  })
  assert.match(framed.text, /^RayID\n"r11"\n"r13"\n/)
  assert.deepEqual([framed.records, framed.rows_per_hour], [10, 12])
  const parquet = await ask({ output_options: { field_names: ['RayID'], output_type: 'parquet' } })
  assert.equal(parquet.text, plain.text)
  await assert.rejects(
    ask({ output_options: { field_names: ['Nope'] }, filter: '{"where":1}' }),
    (error) =>
      error instanceof Refused &&
      JSON.stringify(error.errors.map(({ source }) => source?.pointer)) ===
        '["/output_options/field_names/0","/filter"]',
  )
})
