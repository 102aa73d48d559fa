/**
 * Text to typed tree, by recursive descent. Types are checked while reading, because what may come next depends on
 * them: after an address field an address is read, after a string field a string.
 */
import { textOf } from './bytes.ts'
import {
  boolArray,
  cannotCompare,
  cannotIndex,
  expectedType,
  isCalledPerElement,
  leastArguments,
  paramAt,
  typeAt,
  typeOfArgument,
  typeOfBase,
  typeOfLogical,
  whatCallGives,
  whyNotArgument,
} from './check.ts'
import type { LanguageFunction } from './define.ts'
import { Stop } from './fault.ts'
import type { Limits } from './limits.ts'
import { isComparable, takeBytes, takeInteger, takeListName, takeLiteral, takeSet } from './literal.ts'
import { judgeRegex } from './regex/index.ts'
import type { Scheme } from './scheme.ts'
import { suggest } from './suggest.ts'
import {
  expect,
  isAtEnd,
  peek,
  type Source,
  skipSpace,
  startsHere,
  stop,
  take,
  takeName,
  takeOne,
  takeRaw,
  takeString,
} from './token.ts'
import {
  type Access,
  type Argument,
  type Call,
  eachCount,
  type Index,
  type Literal,
  type Logical,
  type LogicalOp,
  type OrderOp,
  type Root,
  type Test,
} from './tree.ts'
import { arrayOf, isCompound, type Type, typeName } from './type.ts'
import { parseWildcard } from './wildcard.ts'

/** A source with what reading it needs; `depth` counts what we are inside of. */
export type Reading = Source & {
  readonly scheme: Scheme
  readonly limits: Limits
  depth: number
  regexes: number
  /** The call of a function that may be used once. */
  usedOnce: string | undefined
}

/** A filter: its result is Boolean. */
export const readFilter = (reading: Reading): Logical => {
  const root = readLogical(reading)
  const type = typeOfLogical(root)
  if (type !== 'Bool') stop(reading, expectedType('Bool', type))
  expectEnd(reading)
  return root
}

/** A value expression: a field, a call, a quantifier or a quoted string, with no comparison around it. */
export const readValueExpression = (reading: Reading): Root => {
  const from = reading.at
  const root = readValueRoot(reading)
  if (root.kind === 'access' && eachCount(root) > 0) {
    stop(reading, expectedType(typeName(root.type), arrayOf(root.type)), from)
  }
  expectEnd(reading)
  return root
}

const readValueRoot = (reading: Reading): Root => {
  if (peek(reading) === '"' || startsHere(reading, 'r"') || startsHere(reading, 'r#')) {
    return takeLiteral(reading, 'Bytes')
  }
  return isQuantifier(reading) ? readQuantifier(reading) : readAccess(reading)
}

const expectEnd = (reading: Reading): void => {
  if (!isAtEnd(reading)) stop(reading, 'unrecognised input')
}

// Loosest first: an operator later in the list binds tighter.
const logicalOps: readonly LogicalOp[] = ['or', 'xor', 'and']
const logicalSpellings: readonly (readonly [string, LogicalOp])[] = [
  ['or', 'or'],
  ['||', 'or'],
  ['xor', 'xor'],
  ['^^', 'xor'],
  ['and', 'and'],
  ['&&', 'and'],
]

const readLogical = (reading: Reading, level = 0): Logical => {
  const op = logicalOps[level]
  if (!op) return readSimple(reading)
  const items = [readLogical(reading, level + 1)]
  while (takeLogicalOp(reading, op)) {
    const item = readLogical(reading, level + 1)
    checkOperands(reading, items[0] as Logical, item)
    items.push(item)
  }
  return items.length === 1 ? (items[0] as Logical) : { kind: 'combine', op, items }
}

/** Reads an operator only if it is the wanted one; white space before another stays unread. */
const takeLogicalOp = (reading: Reading, wanted: LogicalOp): boolean => {
  const from = reading.at
  skipSpace(reading)
  if (takeOne(reading, logicalSpellings) === wanted) {
    skipSpace(reading)
    return true
  }
  reading.at = from
  return false
}

const checkOperands = (reading: Reading, left: Logical, right: Logical): void => {
  const [expected, actual] = [typeOfLogical(left), typeOfLogical(right)]
  if (isCompound(expected) === isCompound(actual)) return
  // The hosted product has by now read the operator that follows, and points behind it.
  skipSpaceAndOperator(reading)
  stop(reading, expectedType(typeName(expected), actual))
}

const skipSpaceAndOperator = (reading: Reading): void => {
  for (const op of logicalOps) if (takeLogicalOp(reading, op)) return
}

const readSimple = (reading: Reading): Logical => {
  const from = reading.at
  if (take(reading, '(')) {
    return nested(reading, from, () => {
      skipSpace(reading)
      const item = readLogical(reading)
      skipSpace(reading)
      expect(reading, ')')
      return { kind: 'group', item }
    })
  }
  if (take(reading, 'not') || take(reading, '!')) {
    return nested(reading, from, () => {
      skipSpace(reading)
      return { kind: 'not', item: readSimple(reading) }
    })
  }
  if (isQuantifier(reading)) return readQuantifier(reading)
  return readConstant(reading) ?? readComparison(reading, readAccess(reading))
}

/** Goes one level deeper, if the limit allows. */
const nested = <T>(reading: Reading, from: number, read: () => T): T => {
  if (reading.depth >= reading.limits.nesting) {
    stop(reading, `maximum nesting depth exceeded (limit: ${reading.limits.nesting})`, from)
  }
  reading.depth++
  const result = read()
  reading.depth--
  return result
}

/** `true` and `false`, as whole names. */
const readConstant = (reading: Reading): Logical | undefined => {
  const from = reading.at
  const [word] = /^(?:true|false)(?![A-Za-z0-9_.])/.exec(reading.text.slice(from, from + 6)) ?? []
  if (word === undefined || from + word.length > reading.end) return undefined
  reading.at += word.length
  return { kind: 'constant', value: word === 'true' }
}

const isQuantifier = (reading: Reading): boolean => {
  if (!startsHere(reading, 'any') && !startsHere(reading, 'all')) return false
  const from = reading.at
  reading.at += 3
  skipSpace(reading)
  const isCall = peek(reading) === '('
  reading.at = from
  return isCall
}

const readQuantifier = (reading: Reading): Logical => {
  const op = take(reading, 'any') ? 'any' : 'all'
  if (op === 'all') take(reading, 'all')
  skipSpace(reading)
  return nested(reading, reading.at, () => {
    expect(reading, '(')
    skipSpace(reading)
    const from = reading.at
    const over = readArgument(reading)
    const type = typeOfArgument(over)
    if (type !== boolArray || over.kind === 'literal') {
      return stop(reading, expectedType(typeName(boolArray), type), from, reading.at)
    }
    skipSpace(reading)
    expect(reading, ')')
    return { kind: 'quantifier', op, over }
  })
}

const readAccess = (reading: Reading): Access => {
  const base = readBase(reading)
  const indexes: Index[] = []
  let type = typeOfBase(base)
  while (peek(reading) === '[') {
    const from = reading.at
    const index = readIndex(reading)
    const next = typeAt(type, index)
    if (next === undefined) return stop(reading, cannotIndex(type, index), from, reading.at)
    indexes.push(index)
    type = next
  }
  return { kind: 'access', base, indexes, type }
}

const readBase = (reading: Reading): Access['base'] => {
  const from = reading.at
  const name = takeName(reading)
  const field = reading.scheme.fields.get(name)
  if (field) return { kind: 'field', field }
  const called = reading.scheme.functions.get(name)
  if (called) return readCall(reading, called, from)
  const refusal = reading.scheme.refused.get(name)
  if (refusal !== undefined) return stop(reading, refusal, from, reading.at)
  const names = [...reading.scheme.fields.keys(), ...reading.scheme.functions.keys(), 'any', 'all', 'true', 'false']
  throw new Stop('unknown identifier', from, reading.at, suggest(name, names))
}

const readIndex = (reading: Reading): Index => {
  expect(reading, '[')
  skipSpace(reading)
  const index = readIndexItem(reading)
  skipSpace(reading)
  expect(reading, ']')
  return index
}

const readIndexItem = (reading: Reading): Index => {
  if (take(reading, '*')) return { at: 'each' }
  const from = reading.at
  const fail = (why: string): never => stop(reading, `expected literal ${JSON.stringify(why)}`, from)
  if (peek(reading) === '"') {
    const key = takeBytes(reading)
    return textOf(key) === undefined ? fail('expected utf8 string') : { at: 'key', key }
  }
  const item = attempt(reading, takeInteger)
  if (item === undefined) return fail('expected quoted utf8 string or positive integer')
  if (typeof item !== 'number' || item < 0 || item > 0xffffffff) return fail('expected positive integer as index')
  return { at: 'item', item }
}

const readCall = (reading: Reading, called: LanguageFunction, nameFrom: number): Call => {
  if (called.once) checkOnce(reading, called, nameFrom)
  skipSpace(reading)
  return nested(reading, reading.at, () => {
    expect(reading, '(')
    skipSpace(reading)
    const args: Argument[] = []
    while (!isAtEnd(reading) && peek(reading) !== ')') {
      if (args.length > 0) expect(reading, ',')
      skipSpace(reading)
      args.push(readCallArgument(reading, called, args))
      skipSpace(reading)
    }
    if (args.length < leastArguments(called)) stop(reading, 'invalid number of arguments')
    expect(reading, ')')
    return { kind: 'call', function: called, args, gives: whatCallGives(called, args) }
  })
}

const checkOnce = (reading: Reading, called: LanguageFunction, from: number): void => {
  if (reading.usedOnce !== undefined) {
    stop(reading, `only one of regex_replace and wildcard_replace may be called in an expression`, from, reading.at)
  }
  reading.usedOnce = called.name
}

const readCallArgument = (reading: Reading, called: LanguageFunction, before: readonly Argument[]): Argument => {
  const from = reading.at
  const argument = readArgument(reading)
  if (before.length > 0 && argument.kind === 'access' && eachCount(argument) > 0) {
    stop(reading, 'invalid use of map each access operator', from, reading.at)
  }
  if (!paramAt(called, before.length)) stop(reading, 'invalid number of arguments', from)
  const why = whyNotArgument(called, before, argument)
  return why === undefined ? argument : stop(reading, why, from, reading.at)
}

/**
 * An argument may be a literal, a value or a condition, and how it begins does not always tell. Quotes, parentheses,
 * negations and what cannot be a number are certain; for the rest a value is tried first, then an address, an integer
 * and bytes.
 */
const readArgument = (reading: Reading): Argument => {
  if (peek(reading) === '"' || startsHere(reading, 'r"') || startsHere(reading, 'r#')) {
    return takeLiteral(reading, 'Bytes')
  }
  if (peek(reading) === '(' || startsHere(reading, 'not') || peek(reading) === '!' || isQuantifier(reading)) {
    return readLogical(reading)
  }
  const constant = readConstant(reading)
  if (constant) return constant
  if (beginsName(reading)) return readAccessOrComparison(reading, readAccess(reading))
  const access = attempt(reading, () => readAccess(reading))
  if (access) return readAccessOrComparison(reading, access)
  return (
    attempt(reading, () => takeLiteral(reading, 'Ip')) ??
    attempt(reading, () => takeLiteral(reading, 'Int')) ??
    attempt(reading, () => takeLiteral(reading, 'Bytes')) ??
    stop(reading, 'unrecognised input')
  )
}

/** A letter beyond `f` among the first three characters: no number and no hex pair begins like that. */
const beginsName = (reading: Reading): boolean =>
  /^[A-Za-z0-9_]{0,2}[G-Zg-z_]/.test(reading.text.slice(reading.at, Math.min(reading.at + 3, reading.end)))

const readAccessOrComparison = (reading: Reading, access: Access): Argument => {
  const from = reading.at
  skipSpace(reading)
  const isCompared = takeOne(reading, comparisonSpellings) !== undefined
  reading.at = from
  return isCompared ? readComparison(reading, access) : access
}

/** Reads, or puts everything back and gives nothing. */
const attempt = <T>(reading: Reading, read: (reading: Reading) => T): T | undefined => {
  const { at, depth, regexes, usedOnce } = reading
  try {
    return read(reading)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    Object.assign(reading, { at, depth, regexes, usedOnce })
    return undefined
  }
}

type ComparisonOp = 'in' | OrderOp | 'bits' | 'contains' | 'matches' | 'wildcard' | 'strict wildcard'

const comparisonSpellings: readonly (readonly [string, ComparisonOp])[] = [
  ['in', 'in'],
  ['eq', 'eq'],
  ['==', 'eq'],
  ['ne', 'ne'],
  ['!=', 'ne'],
  ['ge', 'ge'],
  ['>=', 'ge'],
  ['le', 'le'],
  ['<=', 'le'],
  ['gt', 'gt'],
  ['>', 'gt'],
  ['lt', 'lt'],
  ['<', 'lt'],
  ['&', 'bits'],
  ['bitwise_and', 'bits'],
  ['contains', 'contains'],
  ['~', 'matches'],
  ['matches', 'matches'],
  ['wildcard', 'wildcard'],
  ['strict wildcard', 'strict wildcard'],
]

const readComparison = (reading: Reading, left: Access): Logical => {
  const { type } = left
  if (type === 'Bool') return { kind: 'compare', left, test: { by: 'truth' } }
  if (isCompound(type) && type.item === 'Bool') {
    if (eachCount(left) > 0) stop(reading, cannotCompare(arrayOf(boolArray)), reading.at, reading.at)
    return { kind: 'compare', left, test: { by: 'truth' } }
  }
  skipSpace(reading)
  const from = reading.at
  const op = takeOne(reading, comparisonSpellings) ?? stop(reading, 'expected ComparisonOp')
  const afterOp = reading.at
  skipSpace(reading)
  const test = readTest(reading, type, op)
  return test ? { kind: 'compare', left, test } : stop(reading, cannotCompare(type), from, afterOp)
}

/** Nothing when the operator is not for this type. */
const readTest = (reading: Reading, type: Type, op: ComparisonOp): Test | undefined => {
  if (!isComparable(type)) return undefined
  switch (op) {
    case 'in':
      if (take(reading, '$')) return { by: 'list', name: takeListName(reading) }
      return { by: 'set', set: takeSet(reading, type, reading.limits.setSize) }
    case 'bits':
      return type === 'Int' ? { by: 'bits', mask: takeInteger(reading) } : undefined
    case 'contains':
      return type === 'Bytes' ? { by: 'contains', needle: takeBytes(reading) } : undefined
    case 'matches':
      return type === 'Bytes' ? readRegex(reading) : undefined
    case 'wildcard':
    case 'strict wildcard':
      return type === 'Bytes' ? readWildcard(reading, op === 'strict wildcard') : undefined
    default:
      return { by: 'order', op, right: readRightSide(reading, type) }
  }
}

/** A literal, or since October 2026 a field or call of the same type: known when its name is. */
const readRightSide = (reading: Reading, type: 'Bytes' | 'Int' | 'Ip'): Literal | Access => {
  const from = reading.at
  const name = attempt(reading, takeName)
  reading.at = from
  const { fields, functions } = reading.scheme
  if (name === undefined || !(fields.has(name) || functions.has(name))) return takeLiteral(reading, type)
  const access = readAccess(reading)
  if (eachCount(access) > 0 || (access.base.kind === 'call' && isCalledPerElement(access.base.args))) {
    stop(reading, 'invalid use of map each access operator', from, reading.at)
  }
  if (access.type !== type) stop(reading, expectedType(type, access.type), from, reading.at)
  return access
}

const readWildcard = (reading: Reading, strict: boolean): Test => {
  const from = reading.at
  const pattern = takeString(reading)
  const wildcard = parseWildcard(pattern, !strict, reading.limits.wildcardStars)
  if (typeof wildcard === 'string') return stop(reading, wildcard, from)
  return { by: 'wildcard', strict, pattern, wildcard }
}

const readRegex = (reading: Reading): Test => {
  const from = reading.at
  if (isAtEnd(reading)) stop(reading, 'unrecognised input')
  const { pattern, spanFrom, spanTo } = takePattern(reading)
  if (++reading.regexes > reading.limits.regexes) {
    const most = reading.limits.regexes
    stop(reading, `an expression may have at most ${most} regular expressions`, from, reading.at)
  }
  const regex = judgeRegex(pattern, reading.limits.regexBytes)
  if ('problem' in regex) return stop(reading, regex.problem, spanFrom, spanTo)
  return { by: 'matches', pattern, regex }
}

/**
 * The text of a pattern and the span that problems with it point at. In quotes `\"` is a quote and every other
 * backslash stays; inside brackets a quote does not end the pattern. Raw strings are taken as they are.
 */
const takePattern = (reading: Reading): { pattern: string; spanFrom: number; spanTo: number } => {
  if (take(reading, 'r')) {
    const pattern = takeRaw(reading)
    return { pattern, spanFrom: reading.at, spanTo: reading.end }
  }
  if (!take(reading, '"')) stop(reading, 'expected " or r')
  const spanFrom = reading.at
  let pattern = ''
  let inClass = false
  for (;;) {
    if (isAtEnd(reading)) stop(reading, 'could not find an ending quote', spanFrom)
    const here = peek(reading)
    if (here === '"' && !inClass) break
    reading.at++
    if (here === '\\' && !isAtEnd(reading)) {
      const escaped = peek(reading)
      pattern += inClass || escaped !== '"' ? `\\${escaped}` : escaped
      reading.at++
    } else {
      if (here === '[') inClass = true
      else if (here === ']') inClass = false
      pattern += here
    }
  }
  return { pattern, spanFrom, spanTo: reading.at++ }
}
