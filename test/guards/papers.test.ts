import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { generated } from '../../scripts/generate.ts'
import { commands } from '../../src/cli/index.ts'
import { kinds } from '../../src/destinations/index.ts'
import { phases } from '../../src/rulesets/index.ts'
import { anchorsIn, linksIn } from '../links.ts'
import { blocksOf, commandsOf } from '../paper.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const papers = [
  ...globSync('*.md', { cwd: root }),
  ...globSync('{docs,changes,deploy,bench,test}/**/*.md', { cwd: root }),
].toSorted()

/** Links of a paper that lead to no file, or to no heading of it; other places than ours are not asked. */
function deadLinks(paper: string, text: string): string[] {
  return linksIn(text).filter((link) => {
    if (/^\w+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const path = file === '' ? paper : join(dirname(paper), file)
    if (!existsSync(join(root, path))) return true
    return anchor !== undefined && !anchorsIn(file === '' ? text : read(path)).has(anchor)
  })
}

for (const paper of papers) {
  test(`every link of ${paper} leads to a file, and to a heading of it`, () => {
    assert.deepEqual(deadLinks(paper, read(paper)), [])
  })
}

test('a link to no file or no heading is found', () => {
  const page =
    '# A page\n[a](docs/nowhere.md) [b](#a-page) [c](#b-page) [d](README.md#sixty-seconds) [e](README.md#an-hour)'
  assert.deepEqual(deadLinks('README.md', page), ['docs/nowhere.md', '#b-page', 'README.md#an-hour'])
})

/** Names of hosted products whose language we speak; in code and addresses they are literals. */
const brands = /cloudflare|fastly|akamai|vercel|netlify/i
const proseOf = (text: string) =>
  text
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(/\]\([^)\s]+\)/g, ']')

test('no paper names a hosted product but as a literal', () => {
  assert.match(proseOf('as Cloudflare does'), brands)
  assert.doesNotMatch(proseOf('see `cloudflare_ruleset` and [their page](https://developers.cloudflare.com)'), brands)
  assert.deepEqual(
    papers.filter((paper) => brands.test(proseOf(read(paper)))),
    [],
  )
})

test('the papers that show a newcomer around hold nothing that is not run', () => {
  // What runs them compares what it ran with what they hold: papers-readme, tutorial and newcomer.
  const run = { 'README.md': 'papers-readme', 'docs/tutorial.md': 'tutorial', 'docs/tasks.md': 'newcomer' }
  for (const [paper, by] of Object.entries(run)) {
    const blocks = blocksOf(read(paper))
    assert.ok(blocks.flatMap(commandsOf).length > 3, paper)
    assert.ok(read(`test/${by}.test.ts`).includes(`'${paper}'`), by)
    for (const { language, mark, text } of blocks) {
      assert.match(language, /^(sh|text|yaml|nginx|js|hcl)$/, text)
      assert.match(mark, /^(stays|fails)?$/, text)
    }
  }
})

test('what we say we have is counted', () => {
  assert.ok(read('README.md').includes(`| Kinds of destination | ${kinds.length} |`))
  const picture = read('docs/architecture.svg')
  assert.ok(picture.includes(`${phases.length} phases`))
  assert.ok(picture.includes('Ten kinds') && kinds.length === 10)
})

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
  assert.match(pages.get('metrics.md') ?? '', /`spillway_http_requests_total` \| counter \| operation, status \|/)
})
