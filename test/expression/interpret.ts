/**
 * The rules language once more, as plainly as can be: no closures, no sets, no native strings. Strings are buffers,
 * integers and addresses bigints, patterns run on RE2. The compiler must give the same answers.
 */
import { RE2JS } from 're2js'
import type {
  Access,
  Argument,
  Index,
  Ip,
  Literal,
  Logical,
  Root,
  Test,
  Type,
  Value,
  Values,
} from '../../src/expression/index.ts'

export const interpret = (root: Root, values: Values): boolean => one(root as Logical, values)

const one = (node: Logical, values: Values): boolean => {
  const answer = logical(node, values)
  if (Array.isArray(answer)) throw new Error('one Boolean was expected')
  return answer as boolean
}

const logical = (node: Logical, values: Values): boolean | boolean[] => {
  switch (node.kind) {
    case 'constant':
      return node.value
    case 'group':
      return logical(node.item, values)
    case 'not': {
      const item = logical(node.item, values)
      return Array.isArray(item) ? item.map((each) => !each) : !item
    }
    case 'combine':
      return node.items.map((item) => logical(item, values)).reduce((left, right) => join(node.op, left, right))
    case 'quantifier': {
      const over = node.over.kind === 'access' ? read(node.over, values) : logical(node.over, values)
      if (over === undefined) return false
      return node.op === 'any' ? (over as boolean[]).some(Boolean) : (over as boolean[]).every(Boolean)
    }
    case 'compare': {
      const isPerElement = node.left.indexes.some((index) => index.at === 'each')
      const left = read(node.left, values)
      if (isPerElement) return ((left ?? []) as Value[]).map((each) => compare(each, node.left.type, node.test, values))
      if (node.test.by === 'truth' && typeof node.left.type !== 'string') return (left ?? []) as boolean[]
      return left !== undefined && compare(left, node.left.type, node.test, values)
    }
  }
}

const join = (op: string, left: boolean | boolean[], right: boolean | boolean[]): boolean | boolean[] => {
  if (Array.isArray(left) && Array.isArray(right)) {
    return Array.from(
      { length: Math.min(left.length, right.length) },
      (_, at) => join(op, left[at]!, right[at]!) as boolean,
    )
  }
  if (op === 'and') return (left && right) as boolean
  return op === 'or' ? ((left || right) as boolean) : left !== right
}

const read = (access: Access, values: Values): Value | undefined => {
  let found: Value | undefined =
    access.base.kind === 'field' ? values.slots[access.base.field.slot] : call(access, values)
  let isMany = false
  for (const index of access.indexes) {
    if (found === undefined) return undefined
    if (index.at === 'each') {
      const parts: Value[] = isMany ? (found as Value[]) : [found]
      found = parts.flatMap((part) => [...(part as Value[] | Map<string, Value>).values()])
      isMany = true
    } else if (isMany) found = (found as Value[]).map((part) => step(part, index)).filter((part) => part !== undefined)
    else found = step(found, index)
  }
  return found
}

const step = (value: Value, index: Index): Value | undefined => {
  if (index.at === 'item') return (value as Value[])[index.item]
  return index.at === 'key' ? (value as Map<string, Value>).get(index.key) : undefined
}

/** Only functions without preparation appear in random trees. */
const call = ({ base }: Access, values: Values): Value | undefined => {
  if (base.kind !== 'call') throw new Error('a call was expected')
  const { run, missing } = base.function
  const given = base.args.map((argument) => argumentOf(argument, values))
  const invoke = (args: (Value | undefined)[]) =>
    missing !== 'passed' && args.includes(undefined) ? undefined : run!(...args)
  const [first] = base.args
  if (first?.kind !== 'access' || !first.indexes.some((index) => index.at === 'each')) return invoke(given)
  if (given[0] === undefined) return undefined
  return (given[0] as Value[]).map((each) => invoke([each, ...given.slice(1)])).filter((each) => each !== undefined)
}

const argumentOf = (argument: Argument, values: Values): Value | undefined => {
  if (argument.kind === 'literal') return argument.value
  return argument.kind === 'access' ? read(argument, values) : (logical(argument, values) as Value)
}

const compare = (left: Value, type: Type, test: Test, values: Values): boolean => {
  switch (test.by) {
    case 'truth':
      return left as boolean
    case 'order': {
      const right = test.right.kind === 'literal' ? test.right.value : read(test.right, values)
      return right !== undefined && isOrdered(test.op, orderOf(left, right, type))
    }
    case 'bits':
      return BigInt.asUintN(64, BigInt(left as bigint) & BigInt(test.mask)) !== 0n
    case 'contains':
      return bytes(left).includes(bytes(test.needle))
    case 'matches':
      return RE2JS.compile(test.pattern)
        .matcher(left as string)
        .find()
    case 'wildcard':
      return glob(fold(left as string, test.strict), test.wildcard.pieces)
    case 'set':
      return isMember(left, test.set)
    case 'list':
      return values.lists(type as 'Bytes', test.name)?.has(left as string) ?? false
  }
}

const isMember = (left: Value, set: Extract<Test, { by: 'set' }>['set']): boolean => {
  if (set.of === 'Bytes') return set.items.some((item) => item === left)
  if (set.of === 'Int') {
    const value = BigInt(left as bigint)
    return set.items.some(({ first, last }) => value >= BigInt(first) && value <= BigInt(last))
  }
  const ip = left as Ip
  return set.items.some(
    ({ first, last }) => ip.family === first.family && wide(ip) >= wide(first) && wide(ip) <= wide(last),
  )
}

/** Nothing when the two have no order. */
const orderOf = (left: Value, right: Literal['value'] | Value, type: Type): number | undefined => {
  if (type === 'Bytes') return Buffer.compare(bytes(left), bytes(right as Value))
  if (type === 'Int') return sign(BigInt(left as bigint), BigInt(right as bigint))
  const [a, b] = [left as Ip, right as Ip]
  return a.family === b.family ? sign(wide(a), wide(b)) : undefined
}

const isOrdered = (op: string, order: number | undefined): boolean => {
  if (order === undefined) return op === 'ne'
  return { eq: order === 0, ne: order !== 0, ge: order >= 0, le: order <= 0, gt: order > 0, lt: order < 0 }[op] ?? false
}

const sign = (left: bigint, right: bigint): number => {
  if (left === right) return 0
  return left < right ? -1 : 1
}

const bytes = (value: Value): Buffer => Buffer.from(value as string, 'latin1')
const wide = ({ a, b, c, d }: Ip): bigint =>
  [a, b, c, d].reduce((sum, word) => (sum << 32n) | BigInt((word ^ 0x80000000) >>> 0), 0n)

const fold = (text: string, strict: boolean): string => (strict ? text : text.replace(/[A-Z]/g, (c) => c.toLowerCase()))

/** Every way to share the text out between the stars is tried. */
const glob = (text: string, [piece = '', ...rest]: readonly string[]): boolean => {
  if (!text.startsWith(piece)) return false
  const left = text.slice(piece.length)
  if (rest.length === 0) return left === ''
  return Array.from({ length: left.length + 1 }, (_, at) => at).some((at) => glob(left.slice(at), rest))
}
