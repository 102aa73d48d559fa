/** What a selection means, shown on one record: the rendering every engine has to agree with. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderBatch } from '../../test/render.ts'
import { type Dataset, datasets, judgeOutputOptions } from './index.ts'

const requests = datasets.find((dataset) => dataset.name === 'http_requests') as Dataset
const record = { ClientIP: '192.0.2.10', EdgeStartTimestamp: 1650000000123456789n, RayID: '7f1c02a9d4be5a10' }
const fields = '"ClientIP":"192.0.2.10","EdgeStartTimestamp":1650000000123456789,"RayID":"7f1c02a9d4be5a10"'
const row = '"192.0.2.10",1650000000123456789,"7f1c02a9d4be5a10"'

function render(options: object, records: readonly object[] = [record]): string {
  const judged = judgeOutputOptions({ field_names: ['ClientIP', 'EdgeStartTimestamp', 'RayID'], ...options }, requests)
  assert.ok(judged.ok, JSON.stringify(judged))
  return renderBatch(judged.value, requests, records as Record<string, unknown>[])
}

test('a batch is written as its options say', () => {
  assert.equal(render({}), `{${fields}}\n`)
  assert.equal(render({ output_type: 'csv' }), `${row}\n`)
  assert.equal(render({ output_type: 'csv', field_delimiter: '\t' }), `${row.replaceAll(',', '\t')}\n`)
  assert.equal(render({ output_type: 'csv', batch_prefix: 'ip,at,ray\n' }), `ip,at,ray\n${row}\n`)
  const array = { batch_prefix: '[', batch_suffix: ']', record_suffix: '}', record_delimiter: ',' }
  assert.equal(render(array, [record, record]), `[{${fields}},{${fields}}]`)
  const rows = {
    ...array,
    batch_prefix: '{"rows":[',
    batch_suffix: ']}',
    record_prefix: '{"log":{',
    record_suffix: '}}',
  }
  assert.equal(render(rows, [record, record]), `{"rows":[{"log":{${fields}}},{"log":{${fields}}}]}`)
  const template = '"ip":{{.ClientIP}},"at":{{.EdgeStartTimestamp}},"ray":{{.RayID}}'
  const said = '{"ip":"192.0.2.10","at":1650000000123456789,"ray":"7f1c02a9d4be5a10"}\n'
  assert.equal(render({ record_template: template }), said)
})

test('a template writes null for what was not selected, and an empty value for what is missing', () => {
  const template = '{{.ClientCountry}} {{.RayID}}{{`}}`}}'
  const frame = { record_prefix: '', record_suffix: '\n' }
  assert.equal(render({ ...frame, record_template: template }), 'null "7f1c02a9d4be5a10"}}\n')
  assert.equal(render({ ...frame, record_template: '{{.RayID}}' }, [{}]), '""\n')
})

test('times are written as the format says', () => {
  const time = (timestamp_format: string) =>
    render({ field_names: ['EdgeStartTimestamp'], output_type: 'csv', timestamp_format })
  assert.equal(time('unixnano'), '1650000000123456789\n')
  assert.equal(time('unix'), '1650000000\n')
  assert.equal(time('rfc3339'), '"2022-04-15T05:20:00Z"\n')
  assert.equal(time('rfc3339ms'), '"2022-04-15T05:20:00.123Z"\n')
  assert.equal(time('rfc3339ns'), '"2022-04-15T05:20:00.123456789Z"\n')
})

test('redaction touches every ${ of the text, wherever it comes from', () => {
  const options = { field_names: ['ClientRequestUserAgent'], batch_prefix: '${', 'CVE-2021-44228': true }
  assert.equal(
    render(options, [{ ClientRequestUserAgent: `\${jndi:\${x}}` }]),
    'x{{"ClientRequestUserAgent":"x{jndi:x{x}}"}\n',
  )
})
