/** The function `sha256` of the rules language: its page, its examples, its work. */
import { createHash } from 'node:crypto'
import { defineFunction, either } from '../define.ts'

export const sha256 = defineFunction({
  name: 'sha256',
  says: 'The 32 bytes of the SHA-256 digest.',
  takes: [either('input', 'Bytes')],
  gives: 'Bytes',
  phases: ['http_request_transform', 'http_request_late_transform', 'http_response_headers_transform'],
  examples: [['encode_base64(sha256("abc"))', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0']],
  run: (input) => createHash('sha256').update(input, 'latin1').digest().toString('latin1'),
})
