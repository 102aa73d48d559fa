/** The function `lower` of the rules language: its page, its examples, its work. */
import { lowerAscii } from '../bytes.ts'
import { defineFunction, field } from '../define.ts'

export const lower = defineFunction({
  name: 'lower',
  says: 'The string with its ASCII capitals in lower case; other bytes stay as they are.',
  takes: [field('source', 'Bytes')],
  gives: 'Bytes',
  examples: [
    ['lower(http.host)', 'example.org', { 'http.host': 'EXAMPLE.org' }],
    ['lower(http.host)', 'É', { 'http.host': 'É' }],
  ],
  run: lowerAscii,
})
