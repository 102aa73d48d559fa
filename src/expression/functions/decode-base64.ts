/** The function `decode_base64` of the rules language: its page, its examples, its work. */
import { defineFunction, field } from '../define.ts'

export const decodeBase64 = defineFunction({
  name: 'decode_base64',
  says: 'The bytes that Base64 text stands for, padded or not; missing when the text is not Base64.',
  takes: [field('source', 'Bytes')],
  gives: 'Bytes',
  phases: [
    'http_request_transform',
    'http_request_late_transform',
    'http_response_headers_transform',
    'http_request_firewall_custom',
    'http_ratelimit',
  ],
  examples: [
    [
      'any(decode_base64(http.request.headers["client_id"][*])[*] eq "123abc")',
      true,
      { 'http.request.headers': { client_id: ['MTIzYWJj'] } },
    ],
    ['decode_base64(http.host)', undefined, { 'http.host': 'not base64!' }],
  ],
  run: (source) => {
    const bare = source.replace(/={1,2}$/, '')
    const isBase64 = /^[A-Za-z0-9+/]*$/.test(bare) && bare.length % 4 !== 1
    const isPaddedRight = bare.length === source.length || source.length % 4 === 0
    return isBase64 && isPaddedRight ? Buffer.from(bare, 'base64').toString('latin1') : undefined
  },
})
