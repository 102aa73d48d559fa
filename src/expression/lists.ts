/** Named lists (`in $office`): handed in when an expression runs, so that a list may change while rules stay. */
import { type Ip, lastOf, networkOf, parseIp, sameIp } from './ip.ts'
import { type IpRange, ipSet } from './ip-set.ts'
import type { Primitive } from './type.ts'
import { readScalar, type Scalar } from './values.ts'

export type List = { readonly has: (value: Scalar) => boolean }
/** Finds a list by the type of its items and its name; one that does not exist has no members. */
export type Lists = (type: Primitive, name: string) => List | undefined

/** A list from plain items: addresses may also be networks (`192.0.2.0/24`) or ranges (`a..b`). */
export const listOf = (type: Primitive, items: readonly unknown[]): List | undefined => {
  if (type === 'Ip') {
    const ranges = items.map(rangeOf)
    if (ranges.includes(undefined)) return undefined
    const inside = ipSet(ranges as IpRange[])
    return { has: (value) => inside(value as Ip) }
  }
  const members = items.map((item) => readScalar(item, type))
  return members.includes(undefined) ? undefined : new Set<Scalar>(members as Scalar[])
}

/** An address, a network or an explicit range, in plain text. */
export const rangeOf = (item: unknown): IpRange | undefined => {
  if (typeof item !== 'string') return undefined
  const [from, to] = item.split('..', 2)
  const first = parseIp(from ?? '')
  if (to !== undefined) {
    const last = parseIp(to)
    return first && last && first.family === last.family ? { first, last } : undefined
  }
  const [address, length, more] = item.split('/')
  const network = parseIp(address ?? '')
  if (!network || more !== undefined) return undefined
  if (length === undefined) return { first: network, last: network }
  const bits = Number(length)
  if (!/^[0-9]{1,3}$/.test(length) || bits > (network.family === 4 ? 32 : 128)) return undefined
  if (!sameIp(networkOf(network, bits), network)) return undefined
  return { first: network, last: lastOf(network, bits) }
}
