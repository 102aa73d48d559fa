import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { say as sayLine } from '../../../test/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'spillway-rules-'))
after(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const say = (...argv: string[]) => sayLine(['rules', ...argv])

test('a valid expression is shown in its normal form, with what it uses', async () => {
  assert.deepEqual(await say('check', 'lower(http.host)=="a"&&ip.src in $office'), {
    out: 'lower(http.host) eq "a" and ip.src in $office\ngives: Boolean\nfields: http.host, ip.src\nfunctions: lower\nlists: office',
    err: '',
    code: 0,
  })
})

test('what an expression means is printed for programs too, and so are its faults', async () => {
  const good = await say('check', 'lower(http.host)=="a"', '--json')
  assert.deepEqual(
    [good.code, JSON.parse(good.out)],
    [
      0,
      {
        valid: true,
        expression: 'lower(http.host) eq "a"',
        gives: 'Boolean',
        fields: ['http.host'],
        functions: ['lower'],
        lists: [],
      },
    ],
  )
  const bad = await say('check', 'htp.host eq "a"', '--json')
  const { valid, errors } = JSON.parse(bad.out)
  assert.deepEqual([bad.code, bad.err, valid, errors[0].fault.line, errors[0].fault.column], [1, '', false, 1, 1])
  const cases = file('json.json', [{ id: 'one', expr: 'ssl', context: { ssl: true }, expected: true }])
  assert.deepEqual(JSON.parse((await say('test', '--cases', cases, '--json')).out), { passed: 1, failures: [] })
})

test('an expression that is wrong is shown with carets', async () => {
  const { err, code } = await say('check', 'htp.host eq "a"')
  assert.equal(code, 1)
  assert.equal(
    err,
    'spillway: Filter parsing error (1:1):\nhtp.host eq "a"\n^^^^^^^^ unknown identifier\ndid you mean http.host?',
  )
})

test('an expression answers for a request', async () => {
  const request = file('request.json', { 'ip.src': '192.0.2.7', $lists: { IP: { office: ['192.0.2.0/24'] } } })
  assert.deepEqual(await say('test', 'ip.src in $office', '--request', request), { out: 'true', err: '', code: 0 })
  assert.deepEqual(await say('test', 'ssl', '--request', request), { out: 'false', err: '', code: 0 })
  const value = await say('test', 'concat("a-", to_string(ip.src))', '--value', '--request', request)
  assert.deepEqual(value, { out: '"a-192.0.2.7"', err: '', code: 0 })
})

test('a file of cases prints every failure and the count, with the exit code to match', async () => {
  const good = { id: 'one', expr: 'ssl', context: { ssl: true }, expected: true }
  const bad = { id: 'two', expr: 'not ssl', context: { ssl: true }, expected: true }
  assert.deepEqual(await say('test', '--cases', file('good.json', [good])), {
    out: '1 passed, 0 failed',
    err: '',
    code: 0,
  })
  assert.deepEqual(await say('test', '--cases', file('both.json', [good, bad])), {
    out: 'FAIL two: not ssl\n  expected true, got false\n1 passed, 1 failed',
    err: '',
    code: 1,
  })
})

test('files that are not there, not JSON or not cases are named', async () => {
  assert.match((await say('test', 'ssl', '--request', join(folder, 'none.json'))).err, /there is no file/)
  assert.match((await say('test', 'ssl', '--request', file('text.json', '{'))).err, /is not JSON/)
  assert.match((await say('test', '--cases', file('object.json', {}))).err, /JSON array of cases/)
  assert.equal((await say('test', 'ssl')).code, 2)
  assert.equal((await say('check')).code, 2)
})
