import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { access, audit, makeClient, Refused } from '../src/contract/index.ts'
import { startHouse } from './house.ts'
import { sendRaw } from './raw.ts'
import { bareEnvironment } from './serve.ts'

const main = join(import.meta.dirname, '../src/main.ts')
let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-run-'))
})
after(() => rm(directory, { recursive: true, force: true }))

/** The real program in a process of its own, with nothing of our environment. */
function program(args: readonly string[], settings: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    env: { ...bareEnvironment(), SPILLWAY_PORT: '0', SPILLWAY_LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** What it printed and how it ended, when it ends by itself. */
async function run(args: readonly string[], settings: Record<string, string>) {
  const child = program(args, settings)
  const said = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => (said.out += chunk))
  child.stderr?.on('data', (chunk) => (said.err += chunk))
  const [code] = await once(child, 'close')
  return { code, ...said }
}

async function serve(data: string, settings: Record<string, string> = {}) {
  const child = program(['serve'], { SPILLWAY_DATA: data, ...settings })
  let out = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += chunk
      const [, found] = /listens on (\S+)/.exec(out) ?? []
      if (found) resolve(found)
    })
    let err = ''
    child.stderr?.on('data', (chunk) => (err += chunk))
    child.on('close', () => reject(new Error(`it ended: ${err}`)))
  })
  const first = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8'))
  const client = makeClient({ baseUrl: `${url}/v4`, credential: { email: first.email, key: first.key } })
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null) return child.exitCode
    child.kill(signal)
    const [code] = await once(child, 'close')
    return code as number | null
  }
  return { url, client, first, end, banner: () => out }
}

describe('a mistake in the configuration is one line that says what to do', () => {
  const unreachable = 'postgres://me:s3cret@127.0.0.1:1/db'
  const mistakes: [string, string, Record<string, string>, RegExp][] = [
    ['serve', 'an unknown setting', { SPILLWAY_PROT: '80' }, /SPILLWAY_PROT is not a setting; see docs\/reference/],
    [
      'serve',
      'a database that is not there',
      { SPILLWAY_DATABASE_URL: unreachable },
      /does not answer: .*ECONNREFUSED/,
    ],
    [
      'migrate',
      'a database that is not there',
      { SPILLWAY_DATABASE_URL: unreachable },
      /does not answer: .*ECONNREFUSED/,
    ],
    [
      'serve',
      'an address of another machine',
      { SPILLWAY_HOST: '192.0.2.1' },
      /SPILLWAY_HOST 192\.0\.2\.1 is no address/,
    ],
  ]
  for (const [command, what, settings, says] of mistakes) {
    test(`${command}: ${what}`, async () => {
      const { code, out, err } = await run([command], { SPILLWAY_DATA: join(directory, 'mistakes'), ...settings })
      assert.equal(code, 1)
      assert.match(err, says)
      assert.equal(err.trim().split('\n').length, 1, err)
      assert.equal(out, '')
      assert.ok(!err.includes('s3cret'))
    })
  }

  test('a data directory that cannot be', async () => {
    const file = join(directory, 'a-file')
    await writeFile(file, '')
    const { code, err } = await run(['serve'], { SPILLWAY_DATA: join(file, 'data') })
    assert.equal(code, 1)
    assert.match(err, /^spillway: the data directory \S+ cannot be written \(ENOTDIR\); set SPILLWAY_DATA[^\n]*\n$/)
  })

  test('a port in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as { port: number }
    const { code, err } = await run(['serve'], {
      SPILLWAY_DATA: join(directory, 'port'),
      SPILLWAY_PORT: String(port),
    })
    holder.close()
    assert.equal(code, 1)
    assert.match(err, new RegExp(`^spillway: port ${port} is in use on 127.0.0.1; set SPILLWAY_PORT[^\\n]*\\n$`))
  })
})

describe('one data directory, start after start', () => {
  let data: string
  let running: Awaited<ReturnType<typeof serve>>
  before(async () => {
    data = join(directory, 'starts')
    running = await serve(data)
  })
  after(() => running.end('SIGKILL'))

  test('the first prints what to try and keeps it for the owner alone', async () => {
    const { first: made, url, banner } = running
    assert.deepEqual(Object.keys(made).sort(), ['account_id', 'base_url', 'email', 'key', 'zone_id'])
    assert.equal(made.base_url, `${url}/v4`)
    for (const name of ['first-run.json', 'secret.key']) {
      assert.equal((await stat(join(data, name))).mode & 0o777, 0o600, name)
    }
    assert.match(banner(), new RegExp(`curl .*X-Auth-Key: ${made.key}`))
  })

  test('a second process is told in one line that the directory is in use', async () => {
    const { code, err } = await run(['serve'], { SPILLWAY_DATA: data })
    assert.equal(code, 1)
    assert.match(err, /^spillway: another process is using the data directory [^\n]*\n$/)
  })

  test('the second start does not print what the first did', async () => {
    const { first: made, end } = running
    assert.equal(await end('SIGTERM'), 0)
    running = await serve(data)
    assert.ok(!running.banner().includes(made.key))
    assert.equal((await running.client.call(access.viewUser, {})).email, made.email)
  })

  test('asked to end, the service finishes the request under way and takes no new connection', async () => {
    const { url, first, end } = running
    const body = JSON.stringify({ name: 'slowly' })
    const { port, hostname } = new URL(url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.write(
      `POST /v4/accounts HTTP/1.1\r\nhost: x\r\nx-auth-email: ${first.email}\r\nx-auth-key: ${first.key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    )
    await sleep(300)
    const ended = end('SIGTERM')
    await sleep(300)
    await assert.rejects(sendRaw(url, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'))
    socket.write(body.slice(5))
    const finishing = Date.now()
    assert.equal(await ended, 0)
    assert.ok(Date.now() - finishing < 8_000, 'it does not wait for a connection that has nothing left to say')
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.match(answer, /"name":"slowly"/)
  })
})

test('killed while it creates, it knows every creation it acknowledged, each with its audit entry and no entry alone', async () => {
  const data = join(directory, 'killed')
  const acknowledged = new Set<string>()
  for (let round = 0; round < 3; round += 1) {
    const { client, first, end } = await serve(data)
    let isOver = false
    const creators = Array.from({ length: 6 }, async (_, creator) => {
      for (let number = 0; !isOver; number += 1) {
        const name = `k${round}-${creator}-${number}`
        try {
          const made =
            creator % 2 === 0
              ? await client.call(access.createAccount, { body: { name } })
              : await client.call(access.createZone, {
                  body: { name: `${name}.test`, account: { id: first.account_id } },
                })
          acknowledged.add(made.id)
        } catch {
          // The process is gone: what was under way may be there or not.
          return
        }
      }
    })
    await sleep(400)
    // On a busy machine that is too short for its share of creations.
    while (acknowledged.size < 10 * (round + 1)) await sleep(20)
    await end('SIGKILL')
    isOver = true
    await Promise.all(creators)
  }
  const { client, end } = await serve(data)
  const accounts = await Array.fromAsync(client.all(access.listAccounts, { query: { per_page: 50 } }))
  const zones = await Array.fromAsync(client.all(access.listZones, { query: { per_page: 50 } }))
  const kept = new Set([...accounts, ...zones].map((one) => one.id))
  const byMe = await Array.fromAsync(client.all(audit.listUserAudit, { query: { per_page: 1000 } }))
  await end('SIGTERM')
  const told = byMe.filter((entry) => entry.action.type === 'create').map((entry) => entry.resource.id)
  assert.ok(acknowledged.size > 20, `only ${acknowledged.size} creations before the kills`)
  for (const id of acknowledged) assert.ok(kept.has(id), `${id} was acknowledged and is gone`)
  assert.deepEqual(
    told.filter((id) => !kept.has(id)),
    [],
    'an audit entry without its creation',
  )
  const untold = [...kept].filter((id) => !told.includes(id))
  assert.equal(untold.length, 2, 'all but the first account and zone, which the service made itself, are in the log')
})

test('an error of ours is a 500 that names the request and nothing inside; the log has the rest, without secrets', async () => {
  const house = await startHouse()
  try {
    const file = new DatabaseSync(join(house.data, 'spillway.db'))
    file.exec('alter table audit_logs rename to hidden_away')
    const error = await house.client.call(access.createAccount, { body: { name: 'x' } }).catch((reason) => reason)
    assert.ok(error instanceof Refused)
    assert.equal(error.status, 500)
    assert.deepEqual(
      error.errors.map((item) => item.code),
      [10500],
    )
    assert.ok(error.message.includes(error.requestId ?? '?'))
    assert.doesNotMatch(error.message, /audit|table|sql|node_modules|src\//i)
    const line = house.logLines.find((one) => one.includes('unexpected error'))
    assert.match(line ?? '', /no such table/)
    assert.ok(line?.includes(error.requestId ?? '?'))
    file.exec('alter table hidden_away rename to audit_logs')
    file.close()
    assert.equal((await house.client.call(access.listAccounts, {})).length, 1, 'nothing stands without its audit entry')
    assert.ok(!house.logLines.join('').includes(house.credential.key))
  } finally {
    await house.stop()
  }
})

test('health needs no credentials, readiness follows the database, and metrics count by operation and status', async () => {
  const house = await startHouse({ database: 'postgres' })
  try {
    const get = async (path: string) => {
      const answer = await fetch(`${house.service.url}${path}`)
      return { status: answer.status, id: answer.headers.get('x-request-id'), text: await answer.text() }
    }
    assert.deepEqual([(await get('/healthz')).status, (await get('/healthz')).text], [200, '{"status":"ok"}'])
    assert.equal((await get('/readyz')).status, 200)
    assert.ok((await get('/healthz')).id)
    await house.client.call(access.listZones, {})
    const { text } = await get('/metrics')
    assert.match(text, /^spillway_http_requests_total\{operation="listZones",status="200"\} 1$/m)
    assert.match(text, /^spillway_http_request_seconds_count\{operation="listZones"\} 1$/m)
    assert.match(text, /^process_resident_memory_bytes \d+$/m)
    await house.loseDatabase()
    const ready = await get('/readyz')
    assert.deepEqual(
      [ready.status, ready.text],
      [503, '{"status":"not ready","waiting":{"database":"does not answer"}}'],
    )
    assert.equal((await get('/healthz')).status, 200)
  } finally {
    await house.stop()
  }
})
