/**
 * Folds the fragments of `changes/` into CHANGELOG.md, below the version in package.json, and removes them:
 * `node scripts/fold-changes.ts` while it is being made, `node scripts/fold-changes.ts 2026-11-30` when it is released.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const kinds = ['added', 'changed', 'fixed', 'removed', 'security'] as const
type Kind = (typeof kinds)[number]

const [, , date] = process.argv
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')

// Only what is committed: others may be writing theirs.
const fragments = execFileSync('git', ['ls-files', 'changes/*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const told = fragments.map((path): { readonly kind: Kind; readonly text: string } => {
  const kind = kinds.find((one) => path.endsWith(`.${one}.md`))
  if (!kind) throw new Error(`${path} is not named <what>.<${kinds.join('|')}>.md`)
  return {
    kind,
    text: readFileSync(join(root, path), 'utf8')
      .trim()
      .replaceAll(/\s*\n\s*/g, ' '),
  }
})

const [intro = '', ...sections] = changelog.split(/^(?=## )/m)
const isThis = (section: string) => section.startsWith(`## ${version}\n`) || section.startsWith(`## ${version} `)
const before = sections.find(isThis) ?? ''

/** What the section of this version already says of a kind, a line each. */
const saidOf = (kind: Kind): string[] =>
  (before.split(`### ${titleOf(kind)}\n`)[1]?.split(/^### /m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('- '))

function titleOf(kind: Kind): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1)
}

const groups = kinds.flatMap((kind) => {
  const lines = [...saidOf(kind), ...told.filter((one) => one.kind === kind).map(({ text }) => `- ${text}`)]
  return lines.length === 0 ? [] : [`### ${titleOf(kind)}\n\n${lines.join('\n')}\n`]
})
const heading = `## ${version} (${date ?? 'not released yet'})\n`
const others = sections.filter((section) => !isThis(section))
writeFileSync(
  join(root, 'CHANGELOG.md'),
  [`${intro.trimEnd()}\n`, heading, groups.join('\n'), ...others].join('\n').replaceAll(/\n{3,}/g, '\n\n'),
)
for (const path of fragments) rmSync(join(root, path))
console.log(`${fragments.length} changes are told in CHANGELOG.md, below ${version}.`)
