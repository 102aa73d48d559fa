/** What we write for other people's programs, read by those programs, where this machine has them. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fishCompletion, zshCompletion } from '../src/cli/completion.ts'
import { commands } from '../src/cli/index.ts'
import { wants } from './proxies.ts'

const root = join(import.meta.dirname, '..')
let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-tools-'))
  await writeFile(join(directory, 'spillway.fish'), fishCompletion(commands))
  await writeFile(join(directory, 'spillway.zsh'), zshCompletion(commands))
  await writeFile(join(directory, 'access.log'), '')
})
after(() => rm(directory, { recursive: true }))

const tell = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: directory, encoding: 'utf8', timeout: 30_000, env: quietly })
const quietly = { PATH: process.env.PATH ?? '', HOME: tmpdir(), TERM: 'dumb' }

/** A line as it is typed, and what its last word becomes. */
const typed: readonly (readonly [line: string, wanted: readonly string[]])[] = [
  ['jo', ['jobs']],
  ['rulesets ro', ['rollback']],
  ['jobs list --json --zo', ['--zone']],
  ['jobs create file:///x --dataset dns_l', ['dns_logs']],
  ['completion z', ['zsh']],
  ['ingest acc', ['access.log']],
]

test('fish completes words, flags, values and files', wants('fish'), () => {
  const lines = [...typed, ['completion ', ['bash', 'fish', 'zsh']] as const]
  const script = lines.map(([line]) => `complete -C 'spillway ${line}'; echo`).join('\n')
  const told = tell('fish', '--no-config', '-c', `source spillway.fish\n${script}`).split('\n\n')
  for (const [at, [line, wanted]] of lines.entries())
    assert.deepEqual(
      told[at]?.split('\n').map((offer) => offer.split('\t')[0]),
      wanted,
      line,
    )
})

test('zsh completes words, flags, values and files', wants('zsh'), () => {
  // Another zsh at a terminal of its own is typed at; `zpty -r` waits until it shows the pattern.
  const keys = typed.flatMap(([line, [wanted]]) => {
    const [, before = '', last = ''] = /^(.*?)(\S*)$/.exec(line) ?? []
    assert.ok(wanted?.startsWith(last))
    return [
      `zpty -n -w inner 'spillway ${line}'$'\\t'`,
      `zpty -r inner shown '*spillway ${before}${wanted}*' && echo '${wanted}'`,
      `zpty -n -w inner $'\\C-u'`,
    ]
  })
  const script = [
    'zmodload zsh/zpty',
    `zpty inner 'zsh -f -i'`,
    `zpty -w inner 'source spillway.zsh; echo sour''ced'`,
    `zpty -r inner shown '*sourced*'`,
    ...keys,
    'zpty -d inner',
  ]
  const told = tell('zsh', '-f', '-c', script.join('\n')).trim().split('\n')
  assert.deepEqual(
    told,
    typed.map(([, [wanted]]) => wanted),
  )
})

test('promtool takes the alerts, and they fire when it happens and not before', wants('promtool'), () => {
  const place = join(root, 'deploy/prometheus')
  assert.match(tell('promtool', 'check', 'config', join(place, 'prometheus.yml')), /SUCCESS/)
  assert.match(tell('promtool', 'test', 'rules', join(place, 'spillway.rules.test.yml')), /SUCCESS/)
})

test('systemd finds nothing to say about the unit', wants('systemd-analyze'), () => {
  // What it minds it says on its error output, and calls it a success.
  assert.equal(tell('sh', '-c', `systemd-analyze verify '${join(root, 'deploy/spillway.service')}' 2>&1`), '')
})
