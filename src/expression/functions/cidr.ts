/** The function `cidr` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'
import { networkOf } from '../ip.ts'
import { numberBetween } from '../literal-argument.ts'

export const cidr = defineFunction({
  name: 'cidr',
  says: 'The network address of an address, with the number of bits given for its family.',
  takes: [field('address', 'Ip'), literal('ipv4_network_bits', 'Int'), literal('ipv6_network_bits', 'Int')],
  gives: 'Ip',
  phases: ['http_request_firewall_custom', 'http_ratelimit'],
  check: (at, argument) => {
    if (at === 1) return numberBetween(argument, 1, 32, 'the number of IPv4 bits')
    return at === 2 ? numberBetween(argument, 1, 128, 'the number of IPv6 bits') : undefined
  },
  examples: [
    ['cidr(ip.src, 24, 24)', '113.10.0.0', { 'ip.src': '113.10.0.2' }],
    ['cidr(ip.src, 24, 24)', '2001::', { 'ip.src': '2001:0:130f::9c0:876a:130b' }],
  ],
  run: (address, bits4, bits6) => networkOf(address, Number(address.family === 4 ? bits4 : bits6)),
})
