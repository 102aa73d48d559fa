/** The function `upper` of the rules language: its page, its examples, its work. */
import { upperAscii } from '../bytes.ts'
import { defineFunction, field } from '../define.ts'

export const upper = defineFunction({
  name: 'upper',
  says: 'The string with its ASCII small letters in upper case; other bytes stay as they are.',
  takes: [field('source', 'Bytes')],
  gives: 'Bytes',
  examples: [['upper(http.host)', 'EXAMPLE.ORG', { 'http.host': 'example.org' }]],
  run: upperAscii,
})
