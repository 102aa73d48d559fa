/** The function `remove_bytes` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'

export const removeBytes = defineFunction({
  name: 'remove_bytes',
  says: 'The string without any byte that occurs in the second argument.',
  takes: [field('source', 'Bytes'), literal('bytes', 'Bytes')],
  gives: 'Bytes',
  examples: [['remove_bytes(http.host, "\\x2e\\x77")', 'examplecom', { 'http.host': 'www.example.com' }]],
  prepare: ([, bytes]) => {
    const unwanted = new Set(bytes as string)
    return (source) => {
      let kept = ''
      for (const byte of source) if (!unwanted.has(byte)) kept += byte
      return kept
    }
  },
})
