/** The function `uuidv4` of the rules language: its page, its examples, its work. */
import { defineFunction, field } from '../define.ts'

export const uuidv4 = defineFunction({
  name: 'uuidv4',
  says: 'A version 4 UUID made from 16 random bytes, normally those of `cf.random_seed`; missing when there are fewer.',
  takes: [field('source', 'Bytes')],
  gives: 'Bytes',
  phases: ['http_request_transform', 'http_request_late_transform', 'http_response_headers_transform'],
  valueOnly: true,
  examples: [
    ['uuidv4(cf.random_seed)', '30313233-3435-4637-b839-616263646566', { 'cf.random_seed': '0123456789abcdef' }],
    ['uuidv4(cf.random_seed)', undefined, { 'cf.random_seed': 'short' }],
  ],
  run: (source) => {
    if (source.length < 16) return undefined
    const bytes = Buffer.from(source.slice(0, 16), 'latin1')
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  },
})
