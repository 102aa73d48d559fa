import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeClient, Refused } from '../../contract/index.ts'
import { makeSend } from '../send.ts'
import { type FollowNeeds, follow } from './follow.ts'

const zone = '0123456789abcdef0123456789abcdef'

/** An ingest endpoint that takes each key once, and misbehaves as told for the next requests. */
async function startSink(t: TestContext) {
  const taken = new Map<string, readonly string[]>()
  const whims: ((response: ServerResponse, commit: () => void) => void)[] = []
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    const key = String(request.headers['idempotency-key'])
    const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
    const commit = () => taken.has(key) || taken.set(key, lines)
    assert.equal(request.url, `/v4/zones/${zone}/logs/ingest/http_requests`)
    const whim = whims.shift()
    if (whim) return whim(response, commit)
    commit()
    const result = { accepted: lines.length, rejected: 0, errors: [] }
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4`
  return { url, whims, records: () => [...taken.values()].flat(), keys: () => [...taken.keys()] }
}

async function arrange(t: TestContext) {
  const sink = await startSink(t)
  const folder = await mkdtemp(join(tmpdir(), 'spillway-follow-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'access.log')
  const troubles: string[] = []

  /** Starts carrying; `stop` is Ctrl-C. */
  function carry(forEver: boolean, changes: Partial<FollowNeeds> = {}) {
    const stopping = new AbortController()
    const client = makeClient({ baseUrl: sink.url, credential: { token: 'x' } })
    const send = makeSend({
      client,
      scope: { zone },
      dataset: 'http_requests',
      signal: stopping.signal,
      onRetry: (why) => troubles.push(why),
      firstWaitMs: 10,
    })
    const needs: FollowNeeds = {
      send,
      toRecord: (line) => (line.startsWith('bad') ? { why: 'it is bad' } : { json: line }),
      onBatch: () => undefined,
      onTrouble: (message) => troubles.push(message),
      signal: stopping.signal,
      pollMs: 10,
      lingerMs: 3_000,
      ...changes,
    }
    const done = follow(needs, { path, marksFile: join(folder, 'state/access.json'), forEver })
    done.catch(() => undefined)
    const stop = async () => {
      stopping.abort()
      await done.catch((error) => assert.equal(error.name, 'AbortError'))
    }
    t.after(() => stopping.abort())
    return { done, stop }
  }

  async function untilTaken(count: number): Promise<void> {
    const deadline = Date.now() + 60_000
    while (sink.records().length < count && Date.now() < deadline) await sleep(10)
    await sleep(50)
  }
  return { sink, folder, path, troubles, carry, untilTaken }
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `{"n":${from + index}}`)
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
const sorted = (lines: readonly string[]): string[] => lines.toSorted((a, b) => JSON.parse(a).n - JSON.parse(b).n)

test('a file is carried once, however often it is asked for', async (t) => {
  const { sink, path, carry } = await arrange(t)
  await writeFile(path, text(numbered(0, 1000)))
  const { bytes, accepted } = await carry(false).done
  assert.deepEqual([bytes, accepted], [text(numbered(0, 1000)).length, 1000])
  await carry(false).done
  await appendFile(path, text(numbered(1000, 1010)))
  await carry(false).done
  assert.deepEqual(sink.records(), numbered(0, 1010))
})

test('a followed file is carried as it grows, half lines only when they are whole', async (t) => {
  const { sink, path, carry, untilTaken } = await arrange(t)
  carry(true)
  await sleep(30)
  await writeFile(path, '{"n":0}\n{"n"')
  await untilTaken(1)
  assert.deepEqual(sink.records(), numbered(0, 1))
  await appendFile(path, ':1}\n')
  await untilTaken(2)
  assert.deepEqual(sink.records(), numbered(0, 2))
})

test('a rotation by renaming loses nothing, not even what is still written to the old file', async (t) => {
  const { sink, folder, path, carry, untilTaken } = await arrange(t)
  await writeFile(path, text(numbered(0, 10)))
  carry(true)
  await untilTaken(10)
  await rename(path, join(folder, 'access.log.1'))
  await appendFile(join(folder, 'access.log.1'), text(numbered(10, 20)))
  await sleep(50)
  await writeFile(path, text(numbered(20, 30)))
  await untilTaken(30)
  await appendFile(join(folder, 'access.log.1'), '{"n":30}')
  await untilTaken(31)
  await appendFile(path, text(numbered(31, 40)))
  await untilTaken(40)
  assert.deepEqual(sorted(sink.records()), numbered(0, 40))
})

test('files that were rotated while nobody followed are found and carried too', async (t) => {
  const { sink, folder, path, carry, untilTaken } = await arrange(t)
  await writeFile(join(folder, 'access.log.7'), text(numbered(900, 910)))
  await writeFile(path, text(numbered(0, 10)))
  const first = carry(true)
  await untilTaken(10)
  await first.stop()
  await appendFile(path, text(numbered(10, 20)))
  await rename(path, join(folder, 'access.log.2'))
  await writeFile(join(folder, 'access.log.1'), text(numbered(20, 30)))
  await writeFile(path, text(numbered(30, 40)))
  await writeFile(join(folder, 'access.log.3.gz'), 'not ours to read\n')
  carry(true)
  await untilTaken(40)
  assert.deepEqual(sorted(sink.records()), numbered(0, 40))
})

test('a batch whose answer never came is sent again as it was, after a restart too, and taken once', async (t) => {
  const { sink, path, carry, untilTaken } = await arrange(t)
  await writeFile(path, text(numbered(0, 10)))
  // The service dies between commit and answer, twice; then it commits and hangs until we are gone.
  sink.whims.push(
    (response, commit) => [commit(), response.destroy()],
    (response) => response.destroy(),
    (_response, commit) => commit(),
  )
  const first = carry(true)
  await untilTaken(10)
  await sleep(200)
  await first.stop()
  await appendFile(path, text(numbered(10, 20)))
  carry(true)
  await untilTaken(20)
  assert.deepEqual(sink.records(), numbered(0, 20))
  assert.equal(sink.keys().length, 2)
})

test('a busy service is waited for as long as it asks, a broken one too', async (t) => {
  const { sink, path, carry, troubles } = await arrange(t)
  await writeFile(path, text(numbered(0, 3)))
  sink.whims.push(
    (response) => response.writeHead(503).end('{"errors":[{"code":1,"message":"starting"}]}'),
    (response) => response.writeHead(502).end('<html>'),
    (response) => response.writeHead(429, { 'retry-after': '1' }).end('{"errors":[{"code":2,"message":"busy"}]}'),
  )
  const began = Date.now()
  await carry(false).done
  assert.ok(Date.now() - began >= 1000)
  assert.deepEqual(troubles, ['starting', '<html>', 'busy'])
  assert.deepEqual(sink.records(), numbered(0, 3))
})

test('a refusal that waiting cannot change ends the run, and nothing is marked as read', async (t) => {
  const { sink, path, carry } = await arrange(t)
  await writeFile(path, text(numbered(0, 3)))
  sink.whims.push((response) => response.writeHead(403).end('{"errors":[{"code":10000,"message":"no"}]}'))
  await assert.rejects(carry(true).done, Refused)
  await carry(false).done
  assert.deepEqual(sink.records(), numbered(0, 3))
})

test('lines that say nothing are skipped, told, and cost their neighbours nothing', async (t) => {
  const { sink, path, carry, troubles } = await arrange(t)
  const [first, second, third] = numbered(0, 3)
  const overlong = (length: number) => `{"x":"${'y'.repeat(length)}"}`
  await writeFile(
    path,
    [first, 'bad', '', overlong(1_500_000), `${second}\r`, overlong(9_000_000), third, 'bad half'].join('\n'),
  )
  const { rejected } = await carry(false).done
  assert.deepEqual(sink.records(), numbered(0, 3))
  assert.equal(rejected, 3)
  assert.match(troubles[0] ?? '', /access\.log: skipped the line at byte 8: it is bad/)
})

test('a truncated file is read from its start, and said so', async (t) => {
  const { sink, path, carry, troubles, untilTaken } = await arrange(t)
  await writeFile(path, text(numbered(0, 100)))
  carry(true)
  await untilTaken(100)
  await truncate(path)
  await sleep(50)
  await appendFile(path, text(numbered(100, 110)))
  await untilTaken(110)
  // Truncated and grown past the old offset between two looks: the first bytes give it away.
  await writeFile(path, text(numbered(110, 400)))
  await untilTaken(400)
  assert.deepEqual(sink.records(), numbered(0, 400))
  assert.equal(troubles.filter((trouble) => trouble.includes('was truncated')).length, 2)
})

test('a log that vanished while nobody followed is said to be incomplete', async (t) => {
  const { sink, path, carry, troubles, untilTaken } = await arrange(t)
  await writeFile(path, text(numbered(0, 5)))
  await carry(false).done
  await rm(path)
  await writeFile(`${path}.new`, text(numbered(5, 9)))
  await rename(`${path}.new`, path)
  carry(true)
  await untilTaken(9)
  assert.deepEqual(sink.records(), numbered(0, 9))
  assert.match(troubles[0] ?? '', /was rotated away/)
})

test('the command killed again and again while a log grows and rotates carries every line once', async (t) => {
  const { sink, folder, path } = await arrange(t)
  const line = (n: number) =>
    JSON.stringify({ msec: `175000${String(n).padStart(4, '0')}.000`, remote_addr: '192.0.2.1', request_uri: `/${n}` })
  let written = 0
  const write = (count: number) => {
    written += count
    return appendFile(path, text(Array.from({ length: count }, (_, index) => line(written - count + index))))
  }
  const start = () =>
    spawn(
      process.execPath,
      [
        'src/main.ts',
        'ingest',
        '--format',
        'nginx-json',
        '--follow',
        '--url',
        sink.url,
        '--token',
        'x',
        '--zone',
        zone,
      ].concat('--state', join(folder, 'state'), path),
      { stdio: 'ignore' },
    )
  const isDone = () => sink.records().length >= written
  await write(50)
  for (let round = 0; round < 3; round += 1) {
    const child = start()
    // Dies at the service's commit, before the answer: the worst moment there is.
    sink.whims.push((_response, commit) => [commit(), child.kill('SIGKILL')])
    await once(child, 'exit')
    await write(200)
    if (round % 2 === 1) await rename(path, join(folder, `access.log.${9 - round}`))
    await write(100)
  }
  const last = start()
  const ended = once(last, 'exit')
  const deadline = Date.now() + 60_000
  while (!isDone() && Date.now() < deadline) await sleep(20)
  await sleep(300)
  last.kill('SIGTERM')
  const [code] = await ended
  assert.equal(code, 0)
  const uris = sink.records().map((record) => Number(JSON.parse(record).ClientRequestURI.slice(1)))
  assert.deepEqual(
    uris.toSorted((a, b) => a - b),
    Array.from({ length: written }, (_, n) => n),
  )
})
