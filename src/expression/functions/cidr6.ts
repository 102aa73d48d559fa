/** The function `cidr6` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'
import { networkOf } from '../ip.ts'
import { numberBetween } from '../literal-argument.ts'

export const cidr6 = defineFunction({
  name: 'cidr6',
  says: 'The network address of an IPv6 address; an IPv4 address comes back unchanged.',
  takes: [field('address', 'Ip'), literal('ipv6_network_bits', 'Int')],
  gives: 'Ip',
  phases: ['http_request_firewall_custom', 'http_ratelimit'],
  check: (at, argument) => (at === 1 ? numberBetween(argument, 1, 128, 'the number of IPv6 bits') : undefined),
  examples: [
    ['cidr6(ip.src, 24)', '113.10.0.2', { 'ip.src': '113.10.0.2' }],
    ['cidr6(ip.src, 32)', '2001:db8::', { 'ip.src': '2001:db8:1:2::3' }],
  ],
  run: (address, bits) => (address.family === 4 ? address : networkOf(address, Number(bits))),
})
