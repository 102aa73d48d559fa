/** Sets of addresses as sorted, merged ranges: one binary search answers whether an address is inside. */
import { type Ip, orderIps } from './ip.ts'

export type IpRange = { readonly first: Ip; readonly last: Ip }
export type IpSet = (ip: Ip) => boolean

export const ipSet = (ranges: readonly IpRange[]): IpSet => {
  const v4 = merged(ranges.filter((range) => range.first.family === 4))
  const v6 = merged(ranges.filter((range) => range.first.family === 6))
  const firsts = Int32Array.from(v4, (range) => range.first.a)
  const lasts = Int32Array.from(v4, (range) => range.last.a)
  return (ip) => {
    if (ip.family === 6) return isInside(v6, ip)
    const word = ip.a
    let low = 0
    let high = firsts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((firsts[middle] as number) <= word) low = middle + 1
      else high = middle
    }
    return low > 0 && word <= (lasts[low - 1] as number)
  }
}

const merged = (ranges: readonly IpRange[]): readonly IpRange[] => {
  const sorted = ranges.toSorted((left, right) => orderIps(left.first, right.first))
  const out: IpRange[] = []
  for (const range of sorted) {
    const before = out.at(-1)
    if (before && orderIps(range.first, before.last) <= 0) {
      if (orderIps(range.last, before.last) > 0) out[out.length - 1] = { first: before.first, last: range.last }
    } else out.push(range)
  }
  return out
}

const isInside = (ranges: readonly IpRange[], ip: Ip): boolean => {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (orderIps((ranges[middle] as IpRange).first, ip) <= 0) low = middle + 1
    else high = middle
  }
  return low > 0 && orderIps(ip, (ranges[low - 1] as IpRange).last) <= 0
}
