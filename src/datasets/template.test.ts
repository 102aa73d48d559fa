import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { datasets, findField } from './index.ts'
import { judgeTemplate } from './template.ts'

const requests = datasets.find((dataset) => dataset.name === 'http_requests')
assert.ok(requests)
const fields = requests.fields.map((field) => field.name)

test('a template made of parts is read as those parts', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((each) => !each.includes('{'))
  const part = fc.oneof(
    text.map((each) => ({ written: each, means: { text: each } })),
    text.map((each) => ({ written: `{{${JSON.stringify(each)}}}`, means: { text: each } })),
    text
      .filter((each) => !each.includes('`'))
      .map((each) => ({ written: `{{\`{{${each}\`}}`, means: { text: `{{${each}` } })),
    fc.constantFrom(...fields).map((field) => ({ written: `{{ .${field} }}`, means: { field } })),
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const judged = judgeTemplate(parts.map((each) => each.written).join(''), requests, fields)
      assert.ok(judged.ok, JSON.stringify(judged))
      const flat = (list: readonly object[]) =>
        list.map((each) => ('text' in each ? each.text : JSON.stringify(each))).join('')
      assert.equal(flat(judged.value), flat(parts.map((each) => each.means)))
    }),
  )
})

test('any text is either a template or refused with a reason, in bounded time', () => {
  const unit = fc.constantFrom('{{', '}}', '/*', '*/', '"', '`', '.', 'RayID', '\\', 'u', 'é', '\n', ' ')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
      const judged = judgeTemplate(text, requests, ['RayID'])
      if (judged.ok) for (const part of judged.value) assert.ok(!('field' in part) || findField(requests, part.field))
      else assert.ok(judged.reasons.length > 0)
    }),
  )
  const began = performance.now()
  judgeTemplate('{{/*}}'.repeat(700), requests, fields)
  judgeTemplate(`{{"${'\\"'.repeat(2000)}`, requests, fields)
  assert.ok(performance.now() - began < 1000)
})
