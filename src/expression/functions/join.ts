/** The function `join` of the rules language: its page, its examples, its work. */
import { defineFunction, either, field } from '../define.ts'
import { arrayOf } from '../type.ts'

export const join = defineFunction({
  name: 'join',
  says: 'The items with the separator between them; an empty array gives an empty string.',
  takes: [field('items', arrayOf('Bytes')), either('separator', 'Bytes')],
  gives: 'Bytes',
  phases: [
    'http_request_transform',
    'http_request_late_transform',
    'http_response_headers_transform',
    'http_request_firewall_custom',
    'http_custom_errors',
  ],
  examples: [
    ['join(http.request.headers.names, ",")', 'A,B', { 'http.request.headers.names': ['A', 'B'] }],
    ['join(http.request.headers.names, ",")', '', { 'http.request.headers.names': [] }],
  ],
  run: (items, separator) => (items as readonly string[]).join(separator),
})
