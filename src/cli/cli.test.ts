import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type House, startHouse } from '../../test/house.ts'
import { freePort } from '../../test/postgres.ts'
import { say } from '../../test/terminal.ts'
import { commands } from './index.ts'

const dashes = '\n----------\n'

/** Runs a line as a pipe would; each thing it says ends its line. */
async function spillway(...argv: string[]) {
  const { code, out, err } = await say(argv)
  const ended = (text: string) => (text === '' ? '' : `${text}\n`)
  return { code, out: ended(out), err: ended(err) }
}

describe('every command', () => {
  // The reference is written by `npm run generate`, and its diff is the review of every page of help.
  const reference = readFileSync(join(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8')
  for (const command of commands) {
    const { name, says, flags } = command
    test(`${name} prints its help, and refuses a flag it does not know`, async () => {
      const help = await spillway(...name.split(' '), '--help')
      assert.equal(help.code, 0)
      assert.equal(help.err, '')
      assert.ok(help.out.startsWith(says))
      assert.ok(reference.includes(`## spillway ${name}\n\n\`\`\`\n${help.out}\`\`\`\n`), 'npm run generate')
      for (const flag of Object.keys(flags)) assert.ok(help.out.includes(`--${flag}`), flag)
      const wrong = await spillway(...name.split(' '), '--no-such-flag')
      assert.equal(wrong.code, 2)
      assert.match(wrong.err, /no-such-flag/)
      assert.ok(wrong.err.endsWith(`Try: spillway ${name} --help\n`))
    })
  }
})

test('without a command, and for the first word of some, the list of commands is the answer', async () => {
  for (const argv of [[], ['help'], ['--help'], ['-h']]) {
    const { code, out } = await spillway(...argv)
    assert.equal(code, 0)
    for (const { name } of commands) assert.ok(out.includes(`  ${name} `), name)
  }
  const zones = await spillway('zones')
  assert.equal(zones.code, 0)
  assert.ok(zones.out.includes('zones create') && !zones.out.includes('tokens create'))
})

test('a command that is none ends with 2', async () => {
  for (const argv of [['brew'], ['zones', 'brew']]) {
    const { code, out, err } = await spillway(...argv)
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.ok(err.startsWith(`spillway: there is no command "${argv.join(' ')}"`))
  }
})

test('a word that was nearly right is answered with the one that was meant', async () => {
  const meant: [string[], RegExp][] = [
    [
      ['jobs', 'lsit'],
      /there is no command "jobs lsit"; did you mean "spillway jobs list"\?\nTry: spillway jobs --help\n$/,
    ],
    [['zone', 'lst'], /there is no command "zone"; did you mean "spillway zones list"\?/],
    [['doktor'], /did you mean "spillway doctor"\?/],
    [['jobs', 'list', '--dateset', 'x'], /Unknown option '--dateset'; did you mean --dataset\?/],
    [['completely-else'], /^spillway: there is no command "completely-else"\nTry: spillway --help\n$/],
  ]
  for (const [argv, said] of meant) {
    const { code, err } = await spillway(...argv)
    assert.equal(code, 2)
    assert.match(err, said)
  }
})

test('the version, and the exit codes, are told to who asks', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  for (const word of ['--version', '-V', 'version']) assert.equal((await spillway(word)).out, `${version}\n`)
  assert.match((await spillway('--help')).out, /Exit codes: 0 done, 1 refused or failed, 2 called wrongly\.\n$/)
})

test('with no service and no credentials known, each is asked for', async () => {
  const nowhere = ['--data', '/nonexistent']
  assert.match((await spillway('zones', 'list', ...nowhere)).err, /^spillway: no service is known here;/)
  const url = ['--url', `http://127.0.0.1:${await freePort()}`, ...nowhere]
  assert.match((await spillway('zones', 'list', ...url)).err, /^spillway: no credentials are known here;/)
  assert.match((await spillway('zones', 'list', ...url, '--email', 'a@b.c')).err, /belong together/)
  const dead = await spillway('zones', 'list', ...url, '--token', 'x'.repeat(40))
  assert.equal(dead.code, 1)
  assert.match(dead.err, /^spillway: the service cannot be reached \(ECONNREFUSED\)\nIs it running\? .*starts one here/)
})

describe('a journey', () => {
  let house: House
  before(async () => {
    house = await startHouse()
  })
  after(() => house.stop())

  const json = async (...argv: string[]) => {
    const { code, out, err } = await spillway(...argv, '--data', house.data, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  const plain = async (...argv: string[]) => {
    const { code, out, err } = await spillway(...argv, '--data', house.data)
    assert.equal(code, 0, err)
    return out
  }

  test('the configuration of an edge comes filled in, with a token that may decide for its zone and nothing else', async () => {
    const host = new URL(house.baseUrl).host
    for (const edge of ['nginx', 'caddy']) {
      const text = await plain('edge', 'config', edge, '--origin', '192.0.2.7:9000', '--listen', '8081')
      assert.ok(text.includes(host) && text.includes('192.0.2.7:9000') && text.includes(`/zones/${house.zone}/`), text)
      assert.match(text, /^ *(listen |:)8081/m)
      assert.doesNotMatch(text, /ZONE_ID|EDGE_TOKEN|127\.0\.0\.1:(8080|8787)/)
      const [, token = ''] = /Bearer ([\w-]+)/.exec(text) ?? []
      const ask = (path: string) =>
        fetch(`${house.baseUrl}/zones/${house.zone}${path}`, { headers: { authorization: `Bearer ${token}` } })
      assert.equal((await ask('/edge/decide')).status, 200)
      assert.equal((await ask('/logexport/jobs')).status, 403)
    }
    const wrong = await spillway('edge', 'config', 'lighttpd', '--data', house.data)
    assert.deepEqual([wrong.code, /say which edge: nginx, caddy/.test(wrong.err)], [2, true])
    const origin = await spillway('edge', 'config', 'nginx', '--origin', '127.0.0.1;', '--data', house.data)
    assert.equal(origin.code, 2)
  })

  test('from an account over a zone, a user and a token to the audit log', async () => {
    const account = await json('accounts', 'create', 'Harbour')
    const at = ['--account', account.id]
    assert.match(await plain('accounts', 'list'), new RegExp(`^${account.id} +Harbour`, 'm'))
    assert.match(await plain('accounts', 'rename', 'Port', ...at), /is now called Port\./)

    const zone = await json('zones', 'create', 'harbour.test', ...at)
    assert.deepEqual(
      (await json('zones', 'list', ...at)).map((one: { name: string }) => one.name),
      ['harbour.test'],
    )

    const member = await json('users', 'add', 'pilot@harbour.test', '--role', 'log share', ...at)
    assert.match(member.api_key, /^[0-9a-f]{37}$/)
    assert.match(await plain('users', 'role', member.id, 'read only', ...at), /is now read only\./)
    assert.match(await plain('users', 'list', ...at), /pilot@harbour\.test +read only/)
    const pilot = ['--email', 'pilot@harbour.test', '--key', member.api_key]
    assert.match(await plain('users', 'me', ...pilot), /^pilot@harbour\.test\n {2}read only in Port/)

    const token = await json('tokens', 'create', 'edge', '--permission', 'logs:read', '--only-zone', zone.id, ...at)
    assert.match(await plain('tokens', 'verify', '--token', token.value), /is active\./)
    assert.match(
      await plain('tokens', 'list', ...at),
      new RegExp(`^${token.id} +edge +active +logs:read +${zone.id}`, 'm'),
    )
    await plain('tokens', 'revoke', token.id, ...at)
    await plain('users', 'remove', member.id, ...at)
    await plain('zones', 'delete', zone.id)

    const entries = await json('audit', ...at)
    assert.deepEqual(
      entries.map((entry: { action: { type: string }; resource: { type: string } }) => [
        entry.action.type,
        entry.resource.type,
      ]),
      [
        ['delete', 'zone'],
        ['delete', 'member'],
        ['delete', 'token'],
        ['create', 'token'],
        ['update', 'member'],
        ['create', 'member'],
        ['create', 'zone'],
        ['update', 'account'],
        ['create', 'account'],
      ],
    )
    assert.ok(entries.every((entry: { interface: string }) => entry.interface === 'CLI'))
    assert.match(await plain('audit', '--action', 'create', '--limit', '1', ...at), /create +token/)
    assert.match(await plain('accounts', 'delete', account.id), /is gone\./)
  })

  test('a refusal is a sentence with its place and code, and ends with 1', async () => {
    const bad = await spillway('zones', 'create', 'not a domain', '--data', house.data)
    assert.equal(bad.code, 1)
    assert.equal(bad.err, "spillway: 'not a domain' is not a domain name such as example.com (at /name) [1002]\n")
    const unknown = await spillway('zones', 'list', '--data', house.data, '--token', 'x'.repeat(40))
    assert.match(
      unknown.err,
      /^spillway: Invalid access token \[9109\]\nSign in with --token, or --email and --key .*--data\.\n$/,
    )
    assert.equal((await spillway('zones', 'create', '--data', house.data)).code, 2)
  })

  // A line, and what a newcomer who typed it is told; the words before the dashes are typed in.
  test('twenty lines that are wrong are answered with what to do', async () => {
    const path = join(import.meta.dirname, 'cases/wrong-uses.txt')
    const lines = (readFileSync(path, 'utf8').split(dashes)[0] ?? '').split('\n')
    assert.ok(lines.length >= 20)
    const answers: string[] = []
    for (const line of lines) {
      const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
      const isOnService = commands.some(({ name, flags }) => line.startsWith(name) && 'data' in flags)
      const { code, out, err } = await spillway(...argv, ...(isOnService ? ['--data', house.data] : []))
      assert.equal(out, '', line)
      answers.push(`$ spillway ${line}\n${err}[${code}]`)
    }
    const seen = `${lines.join('\n')}${dashes}${answers.join('\n\n')}\n`
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, seen)
    assert.equal(seen, readFileSync(path, 'utf8'))
  })

  test('text of others cannot command the terminal', async () => {
    const account = await json('accounts', 'create', 'red \u001b[31m alert')
    const out = await plain('accounts', 'list')
    assert.ok(out.includes(account.id) && !out.includes('\u001b'))
  })

  test('a key that is rolled goes on under the new one only', async () => {
    const member = await json('users', 'add', 'roller@harbour.test')
    const who = ['--email', 'roller@harbour.test', '--key']
    const { api_key } = await json('users', 'roll-key', ...who, member.api_key)
    assert.equal((await spillway('users', 'me', '--data', house.data, ...who, member.api_key)).code, 1)
    assert.match(await plain('users', 'me', ...who, api_key), /^roller@harbour\.test/)
  })
})
