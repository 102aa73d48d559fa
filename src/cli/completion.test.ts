import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { datasets } from '../datasets/index.ts'
import { bashCompletion, fishCompletion, zshCompletion } from './completion.ts'
import { commands } from './index.ts'

/** What a real bash offers for each line; the last word is the one being typed. */
function offers(lines: readonly string[][]): string[][] {
  const script = `${bashCompletion(commands)}
offer() { COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _spillway; echo "\${COMPREPLY[*]}"; }
${lines.map((words) => `offer ${['spillway', ...words].map((word) => `'${word}'`).join(' ')}`).join('\n')}
complete -p spillway`
  const told = execFileSync('bash', ['--norc', '-u'], { input: script, encoding: 'utf8' }).split('\n')
  assert.equal(told[lines.length], 'complete -o default -F _spillway spillway')
  return told.slice(0, lines.length).map((line) => line.split(' ').filter(Boolean))
}

test('bash completes commands, flags, the names of datasets and other values', () => {
  const asked: [string[], readonly string[]][] = [
    [['jo'], ['jobs']],
    [['doc'], ['doctor']],
    [['rulesets', 'ro'], ['rollback']],
    [
      ['jobs', 'list', '--da'],
      ['--data', '--dataset'],
    ],
    [['jobs', 'list', '--json', '--zo'], ['--zone']],
    [['jobs', 'create', 'file:///x', '--dataset', 'dns_l'], ['dns_logs']],
    [['generate', '--dataset', ''], datasets.map(({ name }) => name)],
    [
      ['ingest', 'access.log', '--format', 'c'],
      ['caddy', 'combined'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['rulesets', 'get', 'http_ratel'], ['http_ratelimit']],
    // Nothing of ours to offer: bash goes on with files.
    [['ingest', 'acc'], []],
    [['jobs', 'list', '--data', ''], []],
    [['rulesets', 'put', 'http_ratelimit', ''], []],
    [['no-such', ''], []],
  ]
  const told = offers(asked.map(([words]) => words))
  for (const [at, [words, wanted]] of asked.entries()) assert.deepEqual(told[at], wanted, words.join(' '))
})

test('bash completes every command and every flag there is', () => {
  const flags = offers(commands.map(({ name }) => [...name.split(' '), '--']))
  for (const [at, command] of commands.entries())
    assert.deepEqual(
      flags[at],
      [...Object.keys(command.flags), 'help'].map((name) => `--${name}`),
      command.name,
    )
  const words = offers(commands.map(({ name }) => name.split(' ')))
  for (const [at, { name }] of commands.entries()) assert.ok(words[at]?.includes(name.split(' ').at(-1) ?? ''), name)
})

test('zsh runs what bash runs, and fish has a line for every flag', () => {
  assert.ok(zshCompletion(commands).endsWith(bashCompletion(commands)))
  const fish = fishCompletion(commands)
  for (const { name, flags } of commands)
    for (const flag of Object.keys(flags))
      assert.ok(fish.includes(`__spillway_in '\\''${name}'\\''' -l ${flag} `), name)
  // Quotes in sentences are closed and opened again: outside of them no line holds a stray one.
  for (const line of fish.split('\n').filter((each) => each.startsWith('complete ')))
    assert.equal(line.replaceAll("'\\''", '').split("'").length % 2, 1, line)
})
