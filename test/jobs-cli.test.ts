/** Jobs from the command line, against a house. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type Job, type JobHouse, startJobHouse } from './journeys/job-house.ts'
import { inputOf, say as sayLine } from './terminal.ts'

let house: JobHouse
before(async () => {
  house = await startJobHouse({ environment: { SPILLWAY_OWNERSHIP: 'storage' } })
})
after(() => house.stop())

/** Runs a command line as the house's administrator. */
const say = (words: readonly string[], input = '', from: readonly string[] = ['--data', house.data]) =>
  sayLine([...words, ...from], { input: inputOf(input) })
const json = async (...words: string[]) => {
  const { out, err, code } = await say([...words, '--json'])
  assert.equal(code, 0, err)
  return JSON.parse(out)
}
const secret = 'https://receiver.example.com/in?header_Authorization=Bearer%20hush'

test('a job is made, proven, listed, read, changed, started, stopped and deleted', async () => {
  const made = await say(['jobs', 'create', 'file:///cli/{DATE}', '--prove', '--file-root', house.fileRoot])
  const [, id = ''] = /^Job (\d+) is there, but off\. Start it: spillway jobs enable \1$/.exec(made.out) ?? []
  assert.notEqual(id, '', made.err)
  const { out: listed } = await say(['jobs', 'list'])
  const [head = '', ...rows] = listed.split('\n')
  assert.match(head, /^ID +DATASET +NAME +STATE +COMPLETE UP TO +DESTINATION$/)
  assert.match(rows.join('\n'), new RegExp(`^${id} +http_requests +off +never +file:///cli/\\{DATE\\}$`, 'm'))
  const changed = await say([
    'jobs',
    'update',
    id,
    '--name',
    'by-hand',
    '--options',
    'fields=RayID',
    '--max-records',
    '0',
  ])
  assert.match(changed.out, /^ {2}name +by-hand$/m)
  assert.match(changed.out, /^ {2}max_upload_records +0$/m)
  assert.equal((await say(['jobs', 'enable', id])).out, `Job ${id} is on.`)
  assert.equal((await json('jobs', 'get', id)).enabled, true)
  assert.equal((await say(['jobs', 'disable', id])).out, `Job ${id} is off.`)
  assert.equal((await say(['jobs', 'delete', id])).out, `Job ${id} is gone.`)
  const gone = await say(['jobs', 'get', id])
  assert.deepEqual(
    [gone.code, gone.err],
    [1, `spillway: job not found: ${id} [1008]\n"spillway jobs list" shows those there are.`],
  )
  const entries = await house.auditOf(Number(id))
  assert.ok(entries.every((entry) => entry.interface === 'CLI'))
})

test('every field can be said when a job is made', async () => {
  const output = { field_names: ['RayID'], 'CVE-2021-44228': true }
  const filter = '{"where":{"key":"ClientCountry","operator":"eq","value":"nz"}}'
  const job: Job = await json(
    ...['jobs', 'create', 'file:///all-fields', '--prove', '--file-root', house.fileRoot, '--edge', '--enabled'],
    ...['--name', 'all', '--output-options', JSON.stringify(output), '--filter', filter, '--frequency', 'low'],
    ...['--max-bytes', '5000000', '--max-records', '1000', '--max-seconds', '30', '--dataset', 'http_requests'],
  )
  const { name, kind, enabled, output_options, frequency, max_upload_interval_seconds } = job
  assert.deepEqual([name, kind, enabled, frequency, max_upload_interval_seconds], ['all', 'edge', true, 'low', 30])
  assert.deepEqual([output_options, job.filter], [output, filter])
  assert.deepEqual(await json('jobs', 'list', '--dataset', 'dns_logs'), [])
  await say(['jobs', 'delete', String(job.id)])
})

test('tables and sentences never show a secret, JSON gives what the API gave', async () => {
  const { id } = await json('jobs', 'create', secret)
  const told = await Promise.all([
    say(['jobs', 'list']),
    say(['jobs', 'get', String(id)]),
    say(['jobs', 'update', String(id), '--name', 'x']),
    say(['destinations', 'check', secret]),
    say(['ownership', 'challenge', secret]),
  ])
  for (const { out, err } of told) assert.doesNotMatch(out + err, /hush/)
  assert.match(told[1].out, /destination_conf +https:\/\/receiver\.example\.com\/in\?header_Authorization=\*\*\*\*/)
  assert.equal((await json('jobs', 'get', String(id))).destination_conf, secret)
  const reader = (await house.tokenWith('logs:read')) as { token: string }
  const from = ['--url', house.baseUrl, '--token', reader.token, '--zone', house.zone]
  assert.match((await say(['jobs', 'list'], '', from)).out, /header_Authorization=\*\*\*\*/)
  await say(['jobs', 'delete', String(id)])
})

test('a destination and a token may come in by standard input', async () => {
  const conf = 'file:///by-input'
  const token = await house.prove(conf)
  const proven = await say(['jobs', 'create', conf, '--challenge', '-'], `${token}\n`)
  assert.equal(proven.code, 0, proven.err)
  const piped = await say(['jobs', 'create', '-'], `${secret}&input=1\n`)
  assert.equal(piped.code, 0, piped.err)
  const empty = await say(['jobs', 'create', '-'])
  assert.deepEqual([empty.code, /nothing came in/.test(empty.err)], [2, true])
})

test('without proof, and with a wrong one, the next step is said', async () => {
  const none = await say(['jobs', 'create', 'file:///unproven'])
  assert.deepEqual(
    [none.code, none.err],
    [1, 'spillway: the destination needs proof that it is yours: say --prove, or --challenge <token>'],
  )
  const wrong = await say(['jobs', 'create', 'file:///unproven', '--challenge', 'x.y.z'])
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /incorrect ownership challenge: .* say --prove for a new one/)
})

test('a challenge that cannot be read here is explained: where it is, and what to run then', async () => {
  const far = await say(['jobs', 'create', 'file:///far/{DATE}', '--prove'])
  assert.equal(far.code, 1)
  assert.match(far.err, /cannot be read below .*exports \(ENOENT\); say --file-root/)
  assert.match(far.err, /Read the file far\/\d{8}\/ownership-challenge-[0-9a-f]{8}\.txt/)
  assert.match(far.err, /run the same command with --challenge <token> in place of --prove/)
  const bad = await say(['jobs', 'create', 'https://10.0.0.5/in', '--prove'])
  assert.equal(bad.code, 1)
  assert.match(bad.err, /the challenge could not be written: .*private network/)
})

test('a service that names another file is not obeyed', async (t) => {
  const names = ['../../etc/passwd', '/etc/passwd', 'a/../../ownership-challenge-00000000.txt', 'secret.key', '']
  const answers = names.map((filename) => ({ valid: true, message: '', filename }))
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result: answers.shift() })),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4`
  const from = ['--url', url, '--token', 'x'.repeat(40), '--zone', house.zone]
  for (const name of names) {
    const { code, err } = await say(['jobs', 'create', 'file:///x', '--prove', '--file-root', house.data], '', from)
    assert.deepEqual([code, /no challenge file; not read/.test(err)], [1, true], `${name}: ${err}`)
  }
  assert.equal(answers.length, 0)
})

test('a job moves to another destination with its proof', async () => {
  const { id } = await json('jobs', 'create', 'file:///moving/a', '--prove', '--file-root', house.fileRoot)
  const bare = await say(['jobs', 'update', String(id), '--destination', 'file:///moving/b'])
  assert.deepEqual([bare.code, /say --prove/.test(bare.err)], [1, true])
  const words = ['--destination', 'file:///moving/b', '--prove', '--file-root', house.fileRoot]
  assert.equal((await json('jobs', 'update', String(id), ...words)).destination_conf, 'file:///moving/b')
})

test('signing secrets are shown and rotated on demand', async () => {
  const { id } = await json('jobs', 'create', `${secret}&signing=1`)
  const { out: first } = await say(['jobs', 'signing', String(id)])
  assert.match(first, /^whsec_\S{32}$/)
  const { out: both } = await say(['jobs', 'signing', String(id), '--rotate'])
  assert.equal(both.split('\n')[1], first)
  const file = await json('jobs', 'create', 'file:///unsigned', '--prove', '--file-root', house.fileRoot)
  assert.equal((await say(['jobs', 'signing', String(file.id)])).out, 'Requests of this job are not signed.')
})

test('a destination is checked, and its owner told what is wrong', async () => {
  const fine = await say(['destinations', 'check', 'file:///checked'])
  assert.deepEqual([fine.code, fine.out], [0, 'file:///checked can be written to.'])
  await house.make('file:///checked')
  assert.match((await say(['destinations', 'check', 'file:///checked/'])).out, /A job already writes there/)
  const bad = await say(['destinations', 'check', 's3://logs?sse=none'])
  assert.equal(bad.code, 1)
  assert.match(bad.out, /cannot be used: region is missing/)
  assert.deepEqual(JSON.parse((await say(['destinations', 'check', 'nonsense', '--json'])).out).valid, false)
})

test('ownership goes step by step', async () => {
  const asked = await say(['ownership', 'challenge', 'file:///steps'])
  assert.match(asked.out, /^The challenge is steps\/ownership-challenge-[0-9a-f]{8}\.txt\. Read the file/)
  const token = await house.prove('file:///steps')
  const good = await say(['ownership', 'validate', 'file:///steps', token])
  assert.deepEqual([good.code, good.out], [0, 'The token proves ownership.'])
  const bad = await say(['ownership', 'validate', 'file:///other', token])
  assert.equal(bad.code, 1)
  assert.match(bad.out, /does not prove ownership/)
})

test('what cannot be meant is refused before anything is sent', async () => {
  for (const words of [
    ['jobs', 'get'],
    ['jobs', 'get', 'one'],
    ['jobs', 'delete', '1;2'],
    ['jobs', 'create'],
    ['jobs', 'create', 'file:///x', '--max-records', 'many'],
    ['jobs', 'create', 'file:///x', '--output-options', '{'],
    ['jobs', 'create', 'file:///x', '--prove', '--challenge', 'x'],
    ['jobs', 'create', 'file:///x', '--colour', 'red'],
    ['jobs', 'update', '1'],
    ['jobs', 'update', '1', '--name', 'x', '--prove'],
    ['ownership', 'validate', 'file:///x'],
    ['destinations', 'check'],
  ]) {
    const { code, err } = await say(words)
    assert.equal(code, 2, `${words.join(' ')}: ${err}`)
    assert.match(err, /Try: spillway \w+ \w+ --help$/)
  }
})

test('a field is added to what a job writes, whichever way its fields are said', async () => {
  const create = async (...words: string[]) => (await json('jobs', 'create', ...words)).id
  const add = (id: number, name: string) => json('jobs', 'update', String(id), '--add-field', name)
  const target = (name: string) => `${secret.replace('/in?', `/${name}?`)}`
  const named = await create(target('named'), '--options', 'fields=RayID,ClientIP&timestamps=rfc3339')
  assert.equal((await add(named, 'ClientASN')).logfetch_options, 'fields=RayID,ClientIP,ClientASN&timestamps=rfc3339')
  assert.equal((await add(named, 'ClientIP')).logfetch_options, 'fields=RayID,ClientIP,ClientASN&timestamps=rfc3339')
  const usual = await create(target('usual'))
  const { logfetch_options: grown } = await add(usual, 'JA4')
  assert.match(grown, /^fields=\w+(,\w+)+,JA4$/)
  const output = await create(target('output'), '--output-options', '{"field_names":["RayID"],"output_type":"csv"}')
  const { output_options: options } = await add(output, 'ClientIP')
  assert.deepEqual([options.field_names, options.output_type], [['RayID', 'ClientIP'], 'csv'])
  assert.match((await say(['jobs', 'update', String(named), '--add-field', 'NoSuch'])).err, /NoSuch/)
  const both = await say(['jobs', 'update', String(named), '--add-field', 'JA4', '--options', 'fields=RayID'])
  assert.equal(both.code, 2)
})
