/** The function `bit_slice` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'
import { numberBetween } from '../literal-argument.ts'

const packets = ['ip', 'icmp', 'tcp', 'udp']

export const bitSlice = defineFunction({
  name: 'bit_slice',
  says: 'The bits from `offset_start` up to, not including, `offset_end`, counted from the first bit of the header, as an unsigned number; at most 32. Missing when the header is shorter.',
  takes: [field('protocol', 'Bytes'), literal('offset_start', 'Int'), literal('offset_end', 'Int')],
  gives: 'Int',
  phases: ['magic_transit', 'magic_transit_managed', 'magic_transit_ratelimit', 'magic_transit_ids_managed', 'ddos_l4'],
  check: (at, argument) => {
    if (at > 0) return numberBetween(argument, 0, 2040, 'an offset')
    const isPacket =
      argument.kind === 'access' && argument.base.kind === 'field' && packets.includes(argument.base.field.name)
    return isPacket ? undefined : `the field must be one of ${packets.join(', ')}`
  },
  examples: [
    ['bit_slice(ip, 0, 4)', 4, { ip: '\u0045\u0000\u0000\u0054' }],
    ['bit_slice(ip, 16, 32)', 84, { ip: '\u0045\u0000\u0000\u0054' }],
    ['bit_slice(ip, 32, 40)', undefined, { ip: '\u0045\u0000\u0000\u0054' }],
  ],
  run: (packet, start, end) => {
    const [from, to] = [Number(start), Number(end)]
    if (to > packet.length * 8 || to - from > 32 || to <= from) return undefined
    let bits = 0
    for (let at = from; at < to; at++) bits = bits * 2 + ((packet.charCodeAt(at >> 3) >> (7 - (at & 7))) & 1)
    return bits
  },
})
