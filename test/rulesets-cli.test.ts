/** Rulesets from the command line, in files of both sorts. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { commonProtection } from '../src/rulesets/index.ts'
import { type House, startHouse } from './house.ts'
import { say } from './terminal.ts'

let house: House
let folder: string
before(async () => {
  house = await startHouse()
  folder = await mkdtemp(join(tmpdir(), 'spillway-cli-'))
})
after(async () => {
  await house.stop()
  await rm(folder, { recursive: true, force: true })
})

async function spillway(...argv: string[]) {
  const hasColours = argv.includes('--coloured')
  const words = [...argv.filter((word) => word !== '--coloured'), '--url', house.baseUrl, '--data', house.data]
  const { out, err, code } = await say(words, { isTerminal: hasColours, hasColours })
  return { code, out: out + err }
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const phase = 'http_request_firewall_custom'

test('a ruleset is put from YAML, changed, compared, and rolled back', async () => {
  const first = await file(
    'first.yaml',
    'description: ours\nrules:\n  - {ref: a, action: block, expression: \'http.request.uri.path eq "/a"\'}\n  - {ref: b, action: log, expression: ssl}\n',
  )
  assert.match((await spillway('rulesets', 'put', phase, first, '--dry-run')).out, /would be accepted/)
  assert.match((await spillway('rulesets', 'put', phase, first)).out, /Version 1 is deployed; it has 2 rules\./)
  assert.equal((await spillway('rulesets', 'diff', phase, first)).out, 'No difference.')

  const { rules } = JSON.parse((await spillway('rulesets', 'get', phase)).out)
  const second = await file(
    'second.json',
    JSON.stringify([
      { ref: 'b', action: 'log', expression: 'not ssl' },
      { ref: 'c', action: 'block', expression: 'ssl' },
    ]),
  )
  const { out } = await spillway('rulesets', 'diff', phase, second)
  assert.deepEqual(out.split('\n'), [
    `- ${rules[0].id} block http.request.uri.path eq "/a"`,
    '+ new-2 block ssl',
    `~ ${rules[1].id}`,
    '    - expression: ssl',
    '    + expression: not ssl',
  ])
  assert.ok((await spillway('rulesets', 'diff', phase, second, '--coloured')).out.includes('\u001b[31m- '))
  await spillway('rulesets', 'put', phase, second, '--if-version', '1')
  const late = await spillway('rulesets', 'put', phase, second, '--if-version', '1')
  assert.equal(late.code, 1)
  assert.match(late.out, /its version is 2/)

  assert.match((await spillway('rulesets', 'rollback', phase, '1')).out, /version 1 are deployed as version 3/)
  assert.equal((await spillway('rulesets', 'diff', phase, first)).out, 'No difference.')
  const back = JSON.parse((await spillway('rulesets', 'get', phase)).out)
  assert.equal(back.rules[1].id, rules[1].id)
  const versions = JSON.parse((await spillway('rulesets', 'versions', phase, '--json')).out)
  assert.deepEqual(
    versions.map(({ version }: { version: string }) => version),
    ['1', '2', '3'],
  )
  assert.match((await spillway('rulesets', 'get', phase, '--yaml', '--version', '2')).out, /expression: not ssl/)
  assert.match((await spillway('rulesets', 'diff', phase, '--from', '1', '--to', '2')).out, /\+ expression: not ssl/)
})

test('a faulty file is refused with the place and the carets', async () => {
  const wrong = await file(
    'wrong.json',
    JSON.stringify({ rules: [{ action: 'block', expression: 'http.hos eq "a"' }] }),
  )
  const { code, out } = await spillway('rulesets', 'put', phase, wrong)
  assert.equal(code, 1)
  assert.match(out, /\^+ unknown identifier/)
  assert.match(out, /at \/rules\/0\/expression/)
  const bomb = await file('bomb.yaml', 'a: &a [x]\nrules: [*a, *a]\n')
  assert.match((await spillway('rulesets', 'put', phase, bomb)).out, /neither JSON nor YAML/)
})

test('tags of a managed ruleset, and an import of one more', async () => {
  const tags = JSON.parse((await spillway('rulesets', 'tags', commonProtection.id, '--json')).out)
  assert.ok(tags.some(({ tag }: { tag: string }) => tag === 'sqli'))
  assert.match((await spillway('rulesets', 'tags', commonProtection.id, 'log4j')).out, /Java logger/)
  const path = await file(
    'set.yaml',
    'name: House rules\nphase: http_request_firewall_managed\nrules:\n  - {ref: one, action: block, expression: ssl, categories: [own]}\n',
  )
  assert.match((await spillway('managed', 'import', path)).out, /House rules \(.*\) is at version 1, 1 rules/)
  assert.match((await spillway('rulesets', 'list')).out, /House rules/)
})

test('lists are made, filled from a file, shown and deleted', async () => {
  const items = await file('office.yaml', '- {ip: 192.0.2.0/24, comment: office}\n- {ip: 198.51.100.1}\n')
  await spillway('lists', 'create', 'office', 'ip')
  assert.match((await spillway('lists', 'add', 'office', items)).out, /holds 2 items/)
  const [first] = JSON.parse((await spillway('lists', 'items', 'office', '--json')).out)
  assert.match((await spillway('lists', 'remove', 'office', first.id)).out, /holds 1 items/)
  assert.match((await spillway('lists', 'items', 'office')).out, /198\.51\.100\.1/)
  assert.equal((await spillway('lists', 'delete', 'office')).code, 0)
  assert.equal((await spillway('lists', 'items', 'office')).code, 1)
})
