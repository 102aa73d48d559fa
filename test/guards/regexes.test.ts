import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')

function regexesOf(file: string, text: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

/** Whether something repeated without end holds something repeated without end: the way to exponential time. */
function isNested(literal: string): boolean {
  const source = literal
    .replaceAll(/\\./g, 'a')
    .replaceAll(/\[[^\]]*\]/g, 'a')
    .replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(')
  let text = source
  for (let before = ''; before !== text; ) {
    before = text
    if (/\([^()]*(?:[+*]|\{\d+,\})[^()]*\)(?:[+*]|\{\d+,\})/.test(text)) return true
    // A group becomes one letter, which stays repeated when its inside was.
    text = text.replace(/\(([^()]*)\)/, (_, inside: string) => (/[+*]|\{\d+,\}/.test(inside) ? 'a+' : 'a'))
  }
  return false
}

/** Looked at by a person: each repetition begins with a sign that the repeated part cannot hold, so there is one way to read. */
const beginWithASign = new Set([
  '/^[a-z0-9]+(-[a-z0-9]+)*$/',
  String.raw`/^\s*(\/\*.*?\*\/\s*)*(\(|select\b|with\b|show\b|describe\b|exists\b)/is`,
  String.raw`/^(?=.{3,63}$)(\$root|[a-z0-9]+(-[a-z0-9]+)*)$/`,
  String.raw`/^(?!cn-)[a-z]{2}(-[a-z]+)+-\d$/`,
  String.raw`/^(?!\d+(\.\d+)*$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)+$/`,
])

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

test('no pattern of ours repeats what is repeated without end', (t) => {
  const all = sources.flatMap((file) =>
    regexesOf(file, readFileSync(join(root, file), 'utf8')).map((literal) => ({ file, literal })),
  )
  t.diagnostic(`${all.length} patterns in ${sources.length} files`)
  assert.ok(all.length > 100)
  assert.deepEqual(
    all.filter(({ literal }) => isNested(literal) && !beginWithASign.has(literal)),
    [],
  )
})

test('the search bites', () => {
  for (const bad of ['/(a+)+$/', '/(?:a*b?)*c/', '/((a|b)+x?)*/', '/(\\w+\\s?)+$/', '/([a-z]+){2,}$/'])
    assert.ok(isNested(bad), bad)
  for (const good of ['/^(a|b)+$/', '/a+b+/', '/(ab)?c*/', '/[(+)]+/']) assert.ok(!isNested(good), good)
})
