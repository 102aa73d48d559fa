/** The function `to_string` of the rules language: its page, its examples, its work. */
import { defineFunction, either } from '../define.ts'
import { formatIp, isIp } from '../ip.ts'

export const toStringFunction = defineFunction({
  name: 'to_string',
  says: 'A number in decimal, `true` or `false`, or the text of an address.',
  takes: [either('value', 'Int', 'Bool', 'Ip')],
  gives: 'Bytes',
  phases: [
    'http_request_transform',
    'http_request_late_transform',
    'http_response_headers_transform',
    'http_request_dynamic_redirect',
  ],
  valueOnly: true,
  examples: [
    ['to_string(cf.bot_management.score)', '5', { 'cf.bot_management.score': 5 }],
    ['to_string(ssl)', 'true', { ssl: true }],
    ['to_string(ip.src)', '2001:db8::1', { 'ip.src': '2001:0db8:0:0:0:0:0:1' }],
  ],
  run: (value) => (isIp(value) ? formatIp(value) : String(value)),
})
