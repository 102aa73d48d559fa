/** The golden cases: a dataset and what is asked of it, a dashed line, the SQL and its bound values. `UPDATE_GOLDEN=1` rewrites them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { datasets, judgeFilter, judgeOptions, judgeOutputOptions } from '../datasets/index.ts'
import { select } from './select.ts'

const line = '\n----------\n'
const directory = join(import.meta.dirname, 'cases')
const scope = { kind: 'zone', id: '0123456789abcdef0123456789abcdef', account: 'f'.repeat(32) } as const
const window = { from: 1_750_000_000_000_000_000n, to: 1_750_000_030_000_000_000n }

type Case = { dataset?: string; options?: string; output_options?: object; filter?: object; limits?: object }

for (const file of readdirSync(directory)) {
  test(`select: ${file.replace('.txt', '').replaceAll('-', ' ')}`, () => {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    const input = text.slice(0, text.indexOf(line))
    const seen = `${input}${line}${show(JSON.parse(input))}\n`
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, seen)
    assert.equal(seen, readFileSync(path, 'utf8'))
  })
}

function show(each: Case): string {
  const dataset = datasets.find(({ name }) => name === (each.dataset ?? 'http_requests'))
  assert.ok(dataset)
  const judged = each.output_options
    ? judgeOutputOptions(each.output_options, dataset)
    : judgeOptions(each.options ?? '', dataset)
  const filter = judgeFilter(each.filter ? JSON.stringify({ where: each.filter }) : '', dataset)
  assert.ok(judged.ok && filter.ok)
  const { sql, params } = select(dataset, scope, window, { ...judged.value, filter: filter.value }, each.limits)
  return `${sql}\n\n${JSON.stringify(params, null, 2)}`
}
