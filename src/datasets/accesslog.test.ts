import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessFormats, datasets, findField, judgeAccessLine, toLine } from './index.ts'

const dashes = '\n----------\n'
const requests = datasets.find((dataset) => dataset.name === 'http_requests')

for (const format of accessFormats) {
  test(`lines of ${format} become the records beside them, or say why not`, () => {
    const path = join(import.meta.dirname, 'cases/accesslog', `${format}.txt`)
    const input = readFileSync(path, 'utf8').split(dashes)[0] ?? ''
    const output = input.split('\n').map((line) => {
      const judged = judgeAccessLine(format, line)
      if (!judged.ok) return judged.reasons.map((reason) => reason.message).join('; ')
      for (const [name, value] of Object.entries(judged.value)) {
        const type = requests && findField(requests, name)?.type
        assert.ok(type === 'string' ? typeof value === 'string' : /number|bigint/.test(typeof value), name)
      }
      return toLine(judged.value)
    })
    const seen = `${input}${dashes}${output.join('\n')}\n`
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, seen)
    assert.equal(seen, readFileSync(path, 'utf8'))
  })

  test(`any line in ${format} is either a record with a time or refused, quickly`, () => {
    const anyJson = fc.jsonValue().map((value) => JSON.stringify(value))
    const oddMembers = fc
      .record({ ts: fc.jsonValue(), msec: fc.jsonValue(), start_time: fc.jsonValue(), request: fc.jsonValue() })
      .map((value) => JSON.stringify({ ...value, duration: 1e300, upstream_addr: '::,:', request_time: -1 }))
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), anyJson, oddMembers), (line) => {
        const judged = judgeAccessLine(format, line)
        assert.ok(judged.ok ? typeof judged.value.EdgeStartTimestamp === 'bigint' : judged.reasons.length > 0)
      }),
    )
    const began = performance.now()
    for (const hostile of ['"'.repeat(1e5), `${'a '.repeat(1e5)}[`, `1 - - [x] "${'\\x'.repeat(1e5)}`, '['.repeat(1e5)])
      judgeAccessLine(format, hostile)
    assert.ok(performance.now() - began < 1000)
  })
}
