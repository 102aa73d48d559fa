/**
 * Text to typed tree, by recursive descent. Types are checked while reading, because what may come next depends on
 * them: after an address field an address is read, after a string field a string.
 */
import { expectedType, typeOfLogical } from './check.ts'
import { takeLiteral } from './literal.ts'
import { readComparison } from './parse-comparison.ts'
import { beginsString, isQuantifier, readAccess, readConstant, readQuantifier } from './parse-value.ts'
import { nested, type Reading } from './reading.ts'
import { expect, isAtEnd, skipSpace, stop, take, takeOne } from './token.ts'
import { eachCount, type Logical, type LogicalOp, type Root } from './tree.ts'
import { arrayOf, isCompound, typeName } from './type.ts'

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
  if (beginsString(reading)) return takeLiteral(reading, 'Bytes')
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

export const readLogical = (reading: Reading, level = 0): Logical => {
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
  return readConstant(reading) ?? readComparison(reading, readAccess(reading), readAccess)
}
