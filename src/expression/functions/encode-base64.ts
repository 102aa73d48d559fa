/** The function `encode_base64` of the rules language: its page, its examples, its work. */
import { defineFunction, either, literal, optional } from '../define.ts'
import { flagsFrom } from '../literal-argument.ts'

export const encodeBase64 = defineFunction({
  name: 'encode_base64',
  says: 'Base64 text of the bytes, unpadded; with `p` padded, with `u` in the URL-safe alphabet.',
  takes: [either('input', 'Bytes'), optional(literal('flags', 'Bytes'))],
  gives: 'Bytes',
  phases: ['http_request_transform', 'http_request_late_transform', 'http_response_headers_transform'],
  check: (at, argument) => (at === 1 ? flagsFrom(argument, 'up') : undefined),
  examples: [
    ['encode_base64("hello world")', 'aGVsbG8gd29ybGQ'],
    ['encode_base64("hello world", "p")', 'aGVsbG8gd29ybGQ='],
    ['encode_base64("\\xff\\xfe", "u")', '__4'],
  ],
  run: (input, flags = '') => {
    const bytes = Buffer.from(input, 'latin1')
    const bare = bytes.toString(flags.includes('u') ? 'base64url' : 'base64').replace(/={1,2}$/, '')
    return flags.includes('p') ? bare.padEnd(Math.ceil(bare.length / 4) * 4, '=') : bare
  },
})
