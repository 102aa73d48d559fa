import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { partsOf } from './multipart.ts'

const type = 'multipart/form-data; boundary=XX'
const body = [
  'a preamble that nobody reads',
  '--XX',
  'Content-Disposition: form-data; name="title"',
  '',
  'hello',
  '--XX',
  'Content-Disposition: form-data; name="file"; filename="a \\"b\\".txt"',
  'Content-Type: text/plain',
  '',
  'line one\r\nline two',
  '--XX--',
  'an epilogue',
].join('\r\n')

test('parts have names, file names, headers and values', () => {
  const [title, file, ...more] = partsOf(type, body)
  assert.deepEqual(more, [])
  assert.deepEqual([title?.names, title?.filenames, title?.value], [['title'], [], 'hello'])
  assert.deepEqual([file?.names, file?.filenames, file?.value], [['file'], ['a "b".txt'], 'line one\r\nline two'])
  assert.deepEqual(file?.headers.get('content-type'), ['text/plain'])
})

test('the boundary may be quoted and stand behind other parameters', () => {
  assert.equal(partsOf('multipart/form-data; charset=utf-8; boundary="XX"', body).length, 2)
})

test('what is not multipart has no parts', () => {
  for (const other of ['', 'text/plain; boundary=XX', 'multipart/form-data', 'multipart/form-data; boundary='])
    assert.deepEqual(partsOf(other, body), [])
})

test('any body is read without throwing, and no more parts than the limit come of it', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => partsOf(type, text).length <= 200))
  assert.equal(partsOf(type, '--XX\r\n\r\n\r\n'.repeat(5000)).length, 200)
})
