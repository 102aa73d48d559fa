/** Every regular expression of the sources takes time in proportion to its text, whatever the text: counted, not timed. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { slowOn } from './backtracking.ts'

const root = join(import.meta.dirname, '../..')

type Found = { readonly file: string; readonly source: string; readonly flags: string }

/** Literals, and the `pattern` of what the contract takes. */
function regexesOf(file: string, text: string): Found[] {
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? []
      found.push({ file, source, flags })
    }
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') {
      const written = ts.isTaggedTemplateExpression(node.initializer) ? node.initializer.template : node.initializer
      if (ts.isStringLiteral(written)) found.push({ file, source: written.text, flags: 'u' })
      if (ts.isNoSubstitutionTemplateLiteral(written))
        found.push({ file, source: written.rawText ?? written.text, flags: 'u' })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Never meet a text from outside: those of our own commands, and what the person at the keyboard has typed. */
const inside = new Set([String.raw`src/cli/command.ts <[^>]*>|\[\w+\]`, String.raw`src/cli/connect.ts \/+$`])

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`
/** Made when the service runs, each as it comes out; rules' own patterns are judged by src/expression/regex/safety.ts. */
const madeAtRunTime: readonly Found[] = [
  { file: 'src/rulesets/lists.ts', source: String.raw`\$bad\.addresses(?![a-z0-9_.])`, flags: '' },
  { file: 'src/rulesets/multipart.ts', source: String.raw`;\s*name=(?:${quoted}|([^\s";]*))`, flags: 'i' },
  { file: 'src/http/server.ts', source: '^/v4/zones/[^/]+/rulesets/[^/]+/rules/[^/]+/?$', flags: '' },
  {
    file: 'src/datasets/accesslog/combined.ts',
    source: String.raw`^(\S+) \S+ (?:[^[]*) ?\[([^\]]+)\] ${quoted} (\d{3}|-) (\d+|-)(?: ${quoted} ${quoted})?\s*$`,
    flags: '',
  },
  { file: 'src/logs/append.ts', source: String.raw`"(?:EdgeEndTimestamp|EdgeStartTimestamp)"\s*:\s*"`, flags: '' },
  { file: 'src/destinations/exchange.ts', source: '<Code>([^<]{1,300})</Code>', flags: '' },
]
const judgedBySafety = 'src/expression/regex/compiled.ts'

test('no pattern of ours takes more than twice the steps on twice the text', (t) => {
  const all = [...sources.flatMap((file) => regexesOf(file, textOf(file))), ...madeAtRunTime]
  const once = new Map(all.map((found) => [`${found.file} ${found.source}`, found]))
  t.diagnostic(`${once.size} patterns in ${sources.length} files`)
  assert.ok(once.size > 250)
  const slow = [...once].flatMap(([name, { source, flags }]) => {
    const why = inside.has(name) ? undefined : slowOn(source, flags)
    return why ? [`${name} on ${JSON.stringify(why.text.slice(0, 20))}…: ${why.growth} times`] : []
  })
  assert.deepEqual(slow, [])
})

test('every pattern that is made at run time is among those looked at', () => {
  const makers = sources.filter((file) => /\bRegExp\(/.test(textOf(file)))
  assert.deepEqual(makers.toSorted(), [...madeAtRunTime.map(({ file }) => file), judgedBySafety].toSorted())
})

test('the search bites', () => {
  const bad = [
    '(a+)+$',
    '(?:a*b?)*c',
    '((a|b)+x?)*y',
    String.raw`(\w+\s?)+$`,
    '([a-z]+){2,}$',
    'a*a*$',
    String.raw`\/+$`,
  ]
  const subtle = [String.raw`^\d+\.?\d*$`, String.raw`"(?:[^"\\]|\\.)*"`, '^(a|ab|b)*c', String.raw`^(\/\*.*?\*\/)*x`]
  for (const source of [...bad, ...subtle]) assert.ok(slowOn(source, 's'), source)
  const good = ['^(a|b)+$', '^a+b+', '(ab)?c*', '[(+)]+', String.raw`^\d+(?:\.\d*)?$`, String.raw`(?<!\/)\/+$`]
  for (const source of good) assert.equal(slowOn(source, ''), undefined, source)
})
