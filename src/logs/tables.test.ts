/** The schema of the record store as text, for a single server and for a cluster. `UPDATE_GOLDEN=1` rewrites it. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Dataset } from '../datasets/index.ts'
import { addColumns, createKeys, createTable } from './tables.ts'

/** One field of each type. */
const dataset: Dataset = {
  name: 'sample_events',
  title: 'Sample events',
  scopes: ['zone'],
  timeField: 'Datetime',
  defaultFields: ['Datetime'],
  fields: [
    { name: 'Datetime', type: 'int', timestamp: true, says: 'when' },
    { name: 'Name', type: 'string', says: 'who' },
    { name: 'Score', type: 'float', says: 'how much' },
    { name: 'IsBot', type: 'bool', says: 'whether' },
    { name: 'Metadata', type: 'object', says: 'what else' },
    { name: 'Tags', type: 'array', items: 'string', says: 'words' },
    { name: 'Codes', type: 'array', items: 'int', says: 'numbers' },
  ],
} as unknown as Dataset

for (const { form, options } of [
  { form: 'server', options: { knows: ['merge_selector_base', 'auto_statistics_types'] } },
  { form: 'cluster', options: { cluster: 'logs-eu' } },
]) {
  test(`the tables of a ${form} are the golden ones`, () => {
    const path = join(import.meta.dirname, 'schemas', `${form}.sql`)
    const wider = dataset.fields.slice(-2)
    const seen = `${[createTable(dataset, options), createKeys(options), addColumns(dataset, wider, options)].join(';\n\n')};\n`
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, seen)
    assert.equal(seen, readFileSync(path, 'utf8'))
  })
}
