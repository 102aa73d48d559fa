/** The golden cases: what a person wrote, a dashed line, what it means or every reason why not. `UPDATE_GOLDEN=1` rewrites them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Judged } from '../base/index.ts'
import { type Dataset, datasets, judgeFilter, judgeOptions, judgeOutputOptions } from './index.ts'

const judges: Record<string, (text: string, dataset: Dataset) => Judged<unknown>> = {
  options: judgeOptions,
  output: (text, dataset) => judgeOutputOptions(JSON.parse(text), dataset),
  filter: judgeFilter,
}

const line = '\n----------\n'
const requests = datasets.find((dataset) => dataset.name === 'http_requests')

for (const [folder, judge] of Object.entries(judges)) {
  const directory = join(import.meta.dirname, 'cases', folder)
  for (const file of readdirSync(directory)) {
    test(`${folder}: ${file.replace('.txt', '').replaceAll('-', ' ')}`, () => {
      assert.ok(requests)
      const path = join(directory, file)
      const text = readFileSync(path, 'utf8')
      const input = text.slice(0, text.indexOf(line))
      const seen = `${input}${line}${show(judge(input, requests))}\n`
      if (process.env.UPDATE_GOLDEN) writeFileSync(path, seen)
      assert.equal(seen, readFileSync(path, 'utf8'))
    })
  }
}

function show(judged: Judged<unknown>): string {
  if (judged.ok) return JSON.stringify(judged.value, (key, value) => (key === 'key' ? value.name : value), 2)
  return judged.reasons.map(({ pointer, message }) => (pointer ? `${pointer}: ${message}` : message)).join('\n')
}
