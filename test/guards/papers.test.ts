import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { generated } from '../../scripts/generate.ts'
import { commands } from '../../src/cli/index.ts'

const root = join(import.meta.dirname, '../..')
const papers = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]

for (const paper of papers) {
  test(`every link of ${paper} to a file leads to one`, () => {
    const text = readFileSync(join(root, paper), 'utf8')
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link)
    const dead = links.filter((link) => !link.includes('://') && !existsSync(join(root, dirname(paper), link)))
    assert.deepEqual(dead, [])
  })
}

test('the README names only commands that exist', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const called = [...text.matchAll(/^npx spillway (\w+(?: \w+)?)/gm)].map(([, words = '']) => words)
  const names = commands.map((command) => command.name)
  assert.ok(called.length > 2)
  assert.deepEqual(
    called.filter((words) => !names.some((name) => words === name || words.startsWith(`${name} `))),
    [],
  )
  for (const [, script = ''] of text.matchAll(/npm (?:run )?(start|test|check)\b/g)) assert.ok(scripts[script], script)
})

test('decisions are numbered once each and say situation, decision, cost and what would change it', () => {
  const names = readdirSync(join(root, 'docs/decisions'))
  const numbers = names.map((name) => name.slice(0, 4))
  assert.deepEqual(numbers, [...new Set(numbers)])
  for (const name of names) {
    const text = readFileSync(join(root, 'docs/decisions', name), 'utf8')
    assert.match(text, new RegExp(`^# ${name.slice(0, 4)} `), name)
    for (const part of ['Situation', 'Decision', 'What we give up', 'What would make us change our minds'])
      assert.ok(text.includes(`## ${part}\n`), `${name}: ${part}`)
  }
})

test('a change for users is named by what it does to them', () => {
  const names = readdirSync(join(root, 'changes')).filter((name) => name !== '.gitkeep')
  assert.deepEqual(
    names.filter((name) => !/^[a-z0-9-]+\.(added|changed|fixed|removed)\.md$/.test(name)),
    [],
  )
})

test('the generated pages name every problem and every setting they are made of', () => {
  const pages = new Map(generated().map(([path, text]) => [path.split('/').at(-1), text]))
  assert.match(pages.get('errors.md') ?? '', /\| 404 \| 7003 \| Could not route to `<path>`/)
  assert.doesNotMatch(pages.get('errors.md') ?? '', /undefined|\[object/)
  assert.match(pages.get('configuration.md') ?? '', /`SPILLWAY_DATABASE_URL`/)
  assert.match(pages.get('metrics.md') ?? '', /`spillway_http_requests_total` \| operation, status \|/)
})
