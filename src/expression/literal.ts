/** Literals, read by the type that is wanted: strings and bytes, integers, addresses, and the elements of sets. */

import { type Ip, ipv4, lastOf, networkOf, orderIps, parseIp, sameIp } from './ip.ts'
import type { IpRange } from './ip-set.ts'
import {
  expect,
  isAtEnd,
  isHexDigit,
  notANumber,
  peek,
  type Source,
  skipSpace,
  stop,
  take,
  takeByte,
  takeCharacters,
  takeString,
  takeWhile,
} from './token.ts'
import type { IntRange, Literal, SetItems } from './tree.ts'
import type { Type } from './type.ts'
import { type Integer, integer } from './values.ts'

export type Comparable = 'Bytes' | 'Int' | 'Ip'

export const isComparable = (type: Type): type is Comparable => type === 'Bytes' || type === 'Int' || type === 'Ip'

export const takeLiteral = (source: Source, type: Comparable): Literal => {
  if (type === 'Bytes') return { kind: 'literal', type, value: takeBytes(source) }
  if (type === 'Int') return { kind: 'literal', type, value: takeInteger(source) }
  return { kind: 'literal', type, value: takeIp(source) }
}

/** `{ … }`: elements separated by white space, or by nothing where quotes separate them. */
export const takeSet = (source: Source, type: Comparable, limit: number): SetItems => {
  if (type === 'Bytes') return { of: type, items: takeItems(source, limit, takeBytes) }
  if (type === 'Int') return { of: type, items: takeItems(source, limit, takeIntRange) }
  return { of: type, items: takeItems(source, limit, takeIpRange) }
}

const takeItems = <T>(source: Source, limit: number, takeItem: (source: Source) => T): T[] => {
  const from = source.at
  expect(source, '{')
  const items: T[] = []
  for (;;) {
    skipSpace(source)
    if (take(source, '}')) return items
    items.push(takeItem(source))
    if (items.length > limit) stop(source, `the set has more than ${limit} elements`, from, source.at)
  }
}

/** A quoted or raw string, or hex pairs with separators between them (`aa:bb-cc`). */
export const takeBytes = (source: Source): string => {
  if (isAtEnd(source)) stop(source, 'unrecognised input')
  if (peek(source) === '"' || peek(source) === 'r') return takeString(source)
  let bytes = takeByte(source, 2, 16)
  const from = source.at
  if (!isSeparator(takeCharacters(source, 1))) stop(source, 'expected byte separator', from, source.at)
  bytes += takeByte(source, 2, 16)
  while (isSeparator(peek(source))) {
    source.at++
    bytes += takeByte(source, 2, 16)
  }
  return bytes
}

const isSeparator = (character: string): boolean => character === ':' || character === '-' || character === '.'

/** Decimal, `0x` hexadecimal, or octal when it begins with a zero. */
export const takeInteger = (source: Source): Integer => {
  if (take(source, '0x')) return takeDigits(source, 16, source.at)
  if (peek(source) === '0') return takeDigits(source, 8, source.at)
  const from = source.at
  take(source, '-')
  return takeDigits(source, 10, from)
}

const radixDigits = { 8: /^[0-7]+$/, 10: /^-?[0-9]+$/, 16: /^[0-9a-fA-F]+$/ }
const radixPrefix = { 8: '0o', 10: '', 16: '0x' }

/** Digits up to `f` are read whatever the radix, so that a misfit is shown whole. */
const takeDigits = (source: Source, radix: 8 | 10 | 16, from: number): Integer => {
  takeWhile(source, isHexDigit, 'digit')
  const written = source.text.slice(from, source.at)
  const fail = (why: string): never => stop(source, notANumber(why, radix), from, source.at)
  if (!radixDigits[radix].test(written)) return fail('invalid digit found in string')
  const negative = written.startsWith('-')
  const size = BigInt(`${radixPrefix[radix]}${negative ? written.slice(1) : written}`)
  const value = integer(negative ? -size : size)
  return value ?? fail(`number too ${negative ? 'small' : 'large'} to fit in target type`)
}

const takeIntRange = (source: Source): IntRange => {
  const from = source.at
  const first = takeInteger(source)
  const last = take(source, '..') ? takeInteger(source) : first
  if (last < first) stop(source, 'incompatible range bounds', from, source.at)
  return { first, last }
}

const isAddressCharacter = (code: number): boolean =>
  isHexDigit(code) || code === 0x3a || code === 0x2e || code === 0x2f

const takeIp = (source: Source): Ip => {
  const from = source.at
  const written = takeWhile(source, isAddressCharacter, 'IP address character')
  return readIp(source, written, from)
}

const badAddress = "couldn't parse address in network: invalid IP address syntax"

const readIp = (source: Source, written: string, from: number): Ip =>
  parseIp(written) ?? stop(source, badAddress, from, from + written.length)

const takeIpRange = (source: Source): IpRange => {
  const from = source.at
  const written = takeWhile(source, isAddressCharacter, 'IP address character')
  const dots = written.indexOf('..')
  if (dots === -1) return readNetwork(source, written, from)
  const first = readIp(source, written.slice(0, dots), from)
  const last = readIp(source, written.slice(dots + 2), from + dots + 2)
  if (first.family !== last.family || orderIps(first, last) > 0) {
    stop(source, 'incompatible range bounds', from, source.at)
  }
  return { first, last }
}

const readNetwork = (source: Source, written: string, from: number): IpRange => {
  const slash = written.lastIndexOf('/')
  const address = slash === -1 ? written : written.slice(0, slash)
  const addressEnd = from + (written.includes('/') ? written.indexOf('/') : written.length)
  const network = parseIp(address) ?? shortIpv4(address) ?? stop(source, badAddress, from, addressEnd)
  if (slash === -1) return { first: network, last: network }
  const bits = readNetworkLength(source, written, from, slash, network)
  if (!sameIp(networkOf(network, bits), network)) {
    stop(source, 'host part of address was not zero', from, addressEnd)
  }
  return { first: network, last: lastOf(network, bits) }
}

const readNetworkLength = (source: Source, written: string, from: number, slash: number, network: Ip): number => {
  const length = written.slice(slash + 1)
  const fail = (why: string): never =>
    stop(source, `couldn't parse length in network: ${why}`, from + slash + 1, from + written.length)
  if (length === '') return fail('cannot parse integer from empty string')
  if (!/^[0-9]+$/.test(length)) return fail('invalid digit found in string')
  const bits = Number(length)
  if (bits > 255) return fail('number too large to fit in target type')
  const most = network.family === 4 ? 32 : 128
  if (bits > most) {
    const why = `Network length ${bits} is too long for Ipv${network.family} (maximum: ${most})`
    stop(source, `invalid length for network: ${why}`, from, from + written.length)
  }
  return bits
}

/** In sets an IPv4 address may leave out octets at its end (`192.0.2` is 192.0.2.0) and may have leading zeros. */
const shortIpv4 = (written: string): Ip | undefined => {
  const parts = written.split('.')
  if (parts.length > 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return undefined
  return ipv4(parts.reduce((word, part, at) => word | (Number(part) << (24 - 8 * at)), 0))
}

/** `$name`, after the dollar: lower-case letters, digits, underscores and inner dots. */
export const takeListName = (source: Source): string => {
  const from = source.at
  while (/^[a-z0-9_.]$/.test(peek(source))) source.at++
  const name = source.text.slice(from, source.at)
  if (name === '') stop(source, `invalid list name ${JSON.stringify(firstCharacter(source))}`, from)
  if (name.startsWith('.') || name.endsWith('.')) stop(source, `invalid list name ${JSON.stringify(name)}`, from)
  return name
}

const firstCharacter = (source: Source): string => (isAtEnd(source) ? '' : takeCharacters(source, 1))
