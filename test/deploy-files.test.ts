/** The Dockerfile and the systemd unit, read line by line: there is no container engine where the tests run. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { commands } from '../src/cli/index.ts'
import { settings } from '../src/config.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFile(join(root, name), 'utf8')
const run = promisify(execFile)

type Instruction = { readonly word: string; readonly rest: string }
/** A line that ends with a backslash goes on in the next. */
const instructions = (await read('deploy/Dockerfile'))
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line): Instruction => {
    const [, word = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
    assert.notEqual(word, '', `no instruction: ${line}`)
    return { word, rest: rest.trim() }
  })
const last = instructions.slice(instructions.findLastIndex(({ word }) => word === 'FROM'))
const only = (word: string): string => {
  const found = last.filter((one) => one.word === word)
  assert.equal(found.length, 1, word)
  return found[0]?.rest ?? ''
}

test('every stage stands on the Node that the project is tested with, from no named registry', async () => {
  const { devDependencies } = JSON.parse(await read('package.json'))
  const bases = instructions.filter(({ word }) => word === 'FROM').map(({ rest }) => rest)
  assert.equal(bases.length, 2)
  for (const base of bases) assert.match(base, new RegExp(`^node:${devDependencies.node}-\\w+-slim( AS \\w+)?$`))
})

test('what is copied exists in the checkout, is not ignored, or was made by the stage it comes from', async () => {
  const ignored = (await read('.dockerignore')).split('\n').filter(Boolean)
  for (const { rest } of instructions.filter(({ word }) => word === 'COPY')) {
    const [first = '', ...words] = rest.split(' ')
    const sources = words.slice(0, -1)
    if (first === '--from=build') {
      // Made there by `npm ci` and by scripts/build-package.ts.
      for (const source of sources) assert.ok(['/app/node_modules', '/app/dist'].includes(source), source)
      continue
    }
    for (const source of [first, ...sources]) {
      assert.ok(existsSync(join(root, source)), source)
      assert.ok(!ignored.includes(source), `${source} is in .dockerignore`)
    }
  }
})

test('what runs is not root, owns its data and stops on the signal the service listens to', () => {
  assert.equal(only('USER'), 'spillway')
  assert.ok(
    last.some(
      ({ word, rest }) => word === 'RUN' && /useradd .*--uid 10001 .*install -d -o spillway -m 0700 \/data/.test(rest),
    ),
  )
  const afterUser = last.slice(last.findIndex(({ word }) => word === 'USER'))
  assert.ok(!afterUser.some(({ word }) => word === 'RUN' || word === 'COPY'))
  assert.equal(only('STOPSIGNAL'), 'SIGTERM')
  const known = new Set<string>(Object.values(settings).map(({ name }) => name))
  for (const [name] of only('ENV').matchAll(/SPILLWAY_\w+/g)) assert.ok(known.has(name), name)
})

test('the entry point is a command that exists', () => {
  const [node, script = ''] = JSON.parse(only('ENTRYPOINT'))
  assert.equal(node, 'node')
  assert.ok(existsSync(join(root, script)))
  const [command] = JSON.parse(only('CMD'))
  assert.ok(commands.some(({ name }) => name === command))
})

test('the health check tells a healthy service from one that fails, and from none', async (t) => {
  const [, words] = /^--interval=10s --timeout=3s --start-period=20s +CMD (\[.*\])$/.exec(only('HEALTHCHECK')) ?? []
  const [program, ...args] = JSON.parse(words ?? '[]')
  assert.equal(program, 'node')
  let status = 200
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/healthz' ? status : 404
    response.end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const env = { ...process.env, SPILLWAY_PORT: String((server.address() as AddressInfo).port) }
  const check = () => run(process.execPath, args, { env })
  await check()
  status = 503
  await assert.rejects(check())
  await assert.rejects(run(process.execPath, args, { env: { ...env, SPILLWAY_PORT: '1' } }))
})

test('the systemd unit starts the command, as a user of its own, and leaves the record engine to the service', async () => {
  const unit = await read('deploy/spillway.service')
  const values = Object.fromEntries(
    unit
      .split('\n')
      .flatMap((line) =>
        /^\w+=/.test(line) ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [],
      ),
  )
  assert.match(values.ExecStart ?? '', /node \/opt\/spillway\/node_modules\/spillway\/bin\/spillway\.js serve$/)
  assert.deepEqual([values.DynamicUser, values.KillMode, values.Restart], ['yes', 'mixed', 'always'])
  assert.equal(values.Environment, `SPILLWAY_DATA=/var/lib/${values.StateDirectory}`)
  assert.ok(Number(values.TimeoutStopSec) > 10)
})
