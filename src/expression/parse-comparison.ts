/** Comparisons: an operator, and the right side that the type on the left asks for. */
import { boolArray, cannotCompare, expectedType, isCalledPerElement } from './check.ts'
import { isComparable, takeBytes, takeInteger, takeListName, takeLiteral, takeSet } from './literal.ts'
import { attempt, type Reading } from './reading.ts'
import { judgeRegex } from './regex/index.ts'
import { isAtEnd, peek, skipSpace, stop, take, takeName, takeOne, takeRaw, takeString } from './token.ts'
import { type Access, eachCount, type Literal, type Logical, type OrderOp, type Test } from './tree.ts'
import { arrayOf, isCompound, type Type } from './type.ts'
import { parseWildcard } from './wildcard.ts'

/** How a field or call on the right side is read: handed in, because calls hold comparisons. */
export type ReadAccess = (reading: Reading) => Access

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

export const readComparison = (reading: Reading, left: Access, readAccess: ReadAccess): Logical => {
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
  const test = readTest(reading, type, op, readAccess)
  return test ? { kind: 'compare', left, test } : stop(reading, cannotCompare(type), from, afterOp)
}

/** Whether a comparison operator comes next. */
export const isCompared = (reading: Reading): boolean => {
  const from = reading.at
  skipSpace(reading)
  const op = takeOne(reading, comparisonSpellings)
  reading.at = from
  return op !== undefined
}

/** Nothing when the operator is not for this type. */
const readTest = (reading: Reading, type: Type, op: ComparisonOp, readAccess: ReadAccess): Test | undefined => {
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
      return { by: 'order', op, right: readRightSide(reading, type, readAccess) }
  }
}

/** A literal, or since October 2026 a field or call of the same type: known when its name is. */
const readRightSide = (reading: Reading, type: 'Bytes' | 'Int' | 'Ip', readAccess: ReadAccess): Literal | Access => {
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
