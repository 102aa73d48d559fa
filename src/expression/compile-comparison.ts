/**
 * Comparisons as closures. Each operator has its own closure for each type, so that V8 sees one kind of value in it, and
 * a comparison of a plain field reads its slot directly. Nothing is equal to, unequal to, or ordered against a missing
 * value: all comparisons with one are false.
 */
import { type CompileCondition, compileAccess, type Getter } from './compile-value.ts'
import { type Ip, orderIps, sameIp } from './ip.ts'
import { type IpSet, ipSet } from './ip-set.ts'
import { regexTest } from './regex/index.ts'
import type { Access, IntRange, Literal, OrderOp, SetItems, Test } from './tree.ts'
import { isCompound } from './type.ts'
import type { Integer, Values } from './values.ts'
import { wildcardTest } from './wildcard.ts'

/** Compares one value that is there; the type of the left side was checked, so the value is of it. */
export type Check = (value: never, values: Values) => boolean
type Holds = (values: Values) => boolean

export const compileComparison = (left: Access, test: Test, condition: CompileCondition): Holds => {
  if (left.base.kind === 'field' && left.indexes.length === 0) {
    return compareSlot(left.base.field.slot, left, test, condition)
  }
  return compareGot(compileAccess(left, condition), compileCheck(left, test, condition))
}

const compareGot =
  (get: Getter, check: Check): Holds =>
  (values) => {
    const value = get(values)
    return value !== undefined && check(value as never, values)
  }

/**
 * The comparisons that most rules are made of read their slot themselves. A closure that is shared by many kinds of
 * comparison would call each of them through one place, and V8 could not see through it.
 */
const compareSlot = (slot: number, left: Access, test: Test, condition: CompileCondition): Holds => {
  const direct = compareSlotDirectly(slot, left, test)
  if (direct) return direct
  const check = compileCheck(left, test, condition)
  return (values) => {
    const value = values.slots[slot]
    return value !== undefined && check(value as never, values)
  }
}

const compareSlotDirectly = (slot: number, left: Access, test: Test): Holds | undefined => {
  switch (test.by) {
    case 'truth':
      return isCompound(left.type) ? undefined : (values) => values.slots[slot] === true
    case 'contains': {
      const { needle } = test
      return (values) => (values.slots[slot] as string | undefined)?.includes(needle) === true
    }
    case 'order':
      if (test.right.kind !== 'literal') return undefined
      return test.right.type === 'Ip'
        ? compareSlotToIp(slot, test.op, test.right.value as Ip)
        : compareSlotToScalar(slot, test.op, test.right)
    case 'set':
      return test.set.of === 'Ip' ? slotInIpSet(slot, ipSet(test.set.items)) : undefined
    default:
      return undefined
  }
}

const slotInIpSet =
  (slot: number, inside: IpSet): Holds =>
  (values) => {
    const ip = values.slots[slot] as Ip | undefined
    return ip !== undefined && inside(ip)
  }

const compareSlotToIp = (slot: number, op: OrderOp, right: Ip): Holds | undefined => {
  const { family, a, b, c, d } = right
  if (op === 'eq' && family === 4) {
    return (values) => {
      const ip = values.slots[slot] as Ip | undefined
      return ip !== undefined && ip.a === a && ip.family === 4
    }
  }
  if (op === 'eq') {
    return (values) => {
      const ip = values.slots[slot] as Ip | undefined
      return ip !== undefined && ip.a === a && ip.d === d && ip.b === b && ip.c === c && ip.family === 6
    }
  }
  if (op === 'ge') {
    return (values) => {
      const ip = values.slots[slot] as Ip | undefined
      return ip !== undefined && ip.family === family && orderIps(ip, right) >= 0
    }
  }
  if (op === 'le') {
    return (values) => {
      const ip = values.slots[slot] as Ip | undefined
      return ip !== undefined && ip.family === family && orderIps(ip, right) <= 0
    }
  }
  return undefined
}

const compareSlotToScalar = (slot: number, op: OrderOp, right: Literal): Holds | undefined => {
  const wanted = right.value
  if (typeof wanted === 'string') {
    if (op === 'eq') return (values) => values.slots[slot] === wanted
    if (op === 'ne') {
      return (values) => {
        const value = values.slots[slot] as string | undefined
        return value !== undefined && value !== wanted
      }
    }
    return undefined
  }
  if (typeof wanted !== 'number') return undefined
  const got = (values: Values): number | undefined => values.slots[slot] as number | undefined
  // An absent value is undefined, and undefined compared with a number by order is false.
  switch (op) {
    case 'eq':
      return (values) => (values.slots[slot] as number) === wanted
    case 'ne':
      return (values) => got(values) !== undefined && got(values) !== wanted
    case 'ge':
      return (values) => (values.slots[slot] as number) >= wanted
    case 'le':
      return (values) => (values.slots[slot] as number) <= wanted
    case 'gt':
      return (values) => (values.slots[slot] as number) > wanted
    case 'lt':
      return (values) => (values.slots[slot] as number) < wanted
  }
}

/** The comparison of a single value, as it is made for each element under `[*]`. */
export const compileCheck = (left: Access, test: Test, condition: CompileCondition): Check => {
  switch (test.by) {
    case 'truth':
      return (value: boolean) => value
    case 'order':
      return test.right.kind === 'literal'
        ? orderLiteral(test.op, test.right)
        : orderAccess(test.op, left, compileAccess(test.right, condition))
    case 'bits':
      return bitCheck(test.mask)
    case 'contains': {
      const { needle } = test
      return (value: string) => value.includes(needle)
    }
    case 'matches':
      return regexTest(test.regex).test
    case 'wildcard':
      return wildcardTest(test.wildcard)
    case 'set':
      return setCheck(test.set)
    case 'list': {
      const { name } = test
      const type = left.type as 'Bytes' | 'Int' | 'Ip'
      return (value: string | Integer | Ip, values) => values.lists(type, name)?.has(value) === true
    }
  }
}

const orderLiteral = (op: OrderOp, right: Literal): Check => {
  if (right.type === 'Ip') return orderIp(op, right.value as Ip)
  const wanted = right.value as string | number
  switch (op) {
    case 'eq':
      return (value: string | number) => value === wanted
    case 'ne':
      return (value: string | number) => value !== wanted
    case 'ge':
      return (value: string | number) => value >= wanted
    case 'le':
      return (value: string | number) => value <= wanted
    case 'gt':
      return (value: string | number) => value > wanted
    case 'lt':
      return (value: string | number) => value < wanted
  }
}

/** Addresses of different families are unequal and in no order. */
const orderIp = (op: OrderOp, right: Ip): Check => {
  const { family, a, b, c, d } = right
  switch (op) {
    case 'eq':
      if (family === 4) return (value: Ip) => value.a === a && value.family === 4
      return (value: Ip) => value.a === a && value.d === d && value.b === b && value.c === c && value.family === 6
    case 'ne':
      return (value: Ip) => !sameIp(value, right)
    case 'ge':
      return (value: Ip) => value.family === family && orderIps(value, right) >= 0
    case 'le':
      return (value: Ip) => value.family === family && orderIps(value, right) <= 0
    case 'gt':
      return (value: Ip) => value.family === family && orderIps(value, right) > 0
    case 'lt':
      return (value: Ip) => value.family === family && orderIps(value, right) < 0
  }
}

const orderAccess = (op: OrderOp, left: Access, get: Getter): Check => {
  const compare = left.type === 'Ip' ? compareIps[op] : compareScalars[op]
  return (value: never, values) => {
    const right = get(values)
    return right !== undefined && compare(value, right as never)
  }
}

const compareScalars: Record<OrderOp, (left: never, right: never) => boolean> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  ge: (left, right) => left >= right,
  le: (left, right) => left <= right,
  gt: (left, right) => left > right,
  lt: (left, right) => left < right,
}

const compareIps: Record<OrderOp, (left: Ip, right: Ip) => boolean> = {
  eq: sameIp,
  ne: (left, right) => !sameIp(left, right),
  ge: (left, right) => left.family === right.family && orderIps(left, right) >= 0,
  le: (left, right) => left.family === right.family && orderIps(left, right) <= 0,
  gt: (left, right) => left.family === right.family && orderIps(left, right) > 0,
  lt: (left, right) => left.family === right.family && orderIps(left, right) < 0,
}

/** JavaScript's `&` keeps 32 bits: enough for a mask without the sign bit, else 64 bits are counted as bigints. */
const bitCheck = (mask: Integer): Check => {
  if (typeof mask === 'number' && mask >= 0 && mask <= 0x7fffffff) {
    return (value: Integer) =>
      typeof value === 'number' ? (lowBits(value) & mask) !== 0 : (value & BigInt(mask)) !== 0n
  }
  const wide = BigInt(mask)
  return (value: Integer) => (BigInt(value) & wide) !== 0n
}

const lowBits = (value: number): number => value | 0

const setCheck = (set: SetItems): Check => {
  switch (set.of) {
    case 'Bytes':
      return stringSet(set.items)
    case 'Int':
      return intSet(set.items)
    case 'Ip':
      return ipSet(set.items)
  }
}

/** Up to this many members a loop is faster than a hash. */
const fewMembers = 8

const stringSet = (items: readonly string[]): Check => {
  const members = new Set(items)
  if (members.size > fewMembers) return (value: string) => members.has(value)
  return among([...members])
}

const among =
  (members: readonly (string | Integer)[]): Check =>
  (value: string | Integer) => {
    for (let at = 0; at < members.length; at++) if (members[at] === value) return true
    return false
  }

/** Single numbers by hash, ranges by binary search over their merged bounds. */
const intSet = (items: readonly IntRange[]): Check => {
  if (items.every(({ first, last }) => first === last)) {
    const members = new Set<Integer>(items.map(({ first }) => first))
    if (members.size > fewMembers) return (value: Integer) => members.has(value)
    return among([...members])
  }
  const ranges = mergedRanges(items)
  return (value: Integer) => {
    let low = 0
    let high = ranges.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ranges[middle] as IntRange).first <= value) low = middle + 1
      else high = middle
    }
    return low > 0 && value <= (ranges[low - 1] as IntRange).last
  }
}

const mergedRanges = (items: readonly IntRange[]): readonly IntRange[] => {
  const out: IntRange[] = []
  for (const range of items.toSorted((left, right) => (left.first < right.first ? -1 : 1))) {
    const before = out.at(-1)
    if (before && range.first <= before.last) {
      if (range.last > before.last) out[out.length - 1] = { first: before.first, last: range.last }
    } else out.push(range)
  }
  return out
}
