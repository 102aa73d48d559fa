/**
 * Tree to predicate: closures made once, with every slot, set, pattern and list name resolved before the first request.
 * Generated source (`new Function`) was left out: closures meet the targets, and no user text can become code.
 */

import { typeOfLogical } from './check.ts'
import { compileCheck, compileComparison } from './compile-comparison.ts'
import { compileAccess, compileElements, type Getter } from './compile-value.ts'
import { type Access, type Expression, eachCount, isLogical, type Logical, type LogicalOp, type Test } from './tree.ts'
import { isCompound } from './type.ts'
import type { Value, Values } from './values.ts'

export type Predicate = (values: Values) => boolean
export type Valuer = (values: Values) => Value | undefined

/** A filter as a predicate. */
export const compile = ({ root }: Expression): Predicate => {
  if (!isLogical(root)) throw new Error('a value expression is no filter: compile it with compileValue')
  return compileOne(root)
}

/** A value expression: its value for a request, undefined when it is missing. */
export const compileValue = ({ root }: Expression): Valuer => {
  if (root.kind === 'literal') return () => root.value
  return root.kind === 'access' ? compileAccess(root, compileArgument) : compileOne(root)
}

const compileOne = (node: Logical): Predicate => {
  switch (node.kind) {
    case 'constant':
      return () => node.value
    case 'group':
      return compileOne(node.item)
    case 'not': {
      const item = compileOne(node.item)
      return (values) => !item(values)
    }
    case 'combine':
      return combineOne(node.op, node.items.map(compileOne))
    case 'quantifier':
      return compileQuantifier(node.op, node.over)
    case 'compare':
      return compileComparison(node.left, node.test, compileArgument)
  }
}

const combineOne = (op: LogicalOp, items: readonly Predicate[]): Predicate => {
  const [first, second, third] = items as readonly [Predicate, Predicate, Predicate?]
  if (op === 'xor') return (values) => items.reduce((odd, item) => odd !== item(values), false)
  if (op === 'and') {
    if (!third) return (values) => first(values) && second(values)
    if (items.length === 3) return (values) => first(values) && second(values) && third(values)
    return (values) => {
      for (let at = 0; at < items.length; at++) if (!(items[at] as Predicate)(values)) return false
      return true
    }
  }
  if (!third) return (values) => first(values) || second(values)
  if (items.length === 3) return (values) => first(values) || second(values) || third(values)
  return (values) => {
    for (let at = 0; at < items.length; at++) if ((items[at] as Predicate)(values)) return true
    return false
  }
}

/** Over a comparison an absent array has no elements; over a plain value it makes both quantifiers false. */
const compileQuantifier = (op: 'any' | 'all', over: Logical | Access): Predicate => {
  const wanted = op === 'any'
  if (over.kind === 'access') {
    const get = compileAccess(over, compileArgument)
    return (values) => {
      const array = get(values) as readonly boolean[] | undefined
      return array !== undefined && array.includes(wanted) === wanted
    }
  }
  if (over.kind === 'compare' && over.left.indexes.at(-1)?.at === 'each' && eachCount(over.left) === 1) {
    return quantifyElements(wanted, over.left, over.test)
  }
  const each = compileMany(over)
  return (values) => each(values).includes(wanted) === wanted
}

/** The usual form, `any(field[*] eq "x")`: a loop that ends at the first answer and makes no array. */
const quantifyElements = (wanted: boolean, left: Access, test: Test): Predicate => {
  const get = compileAccess({ ...left, indexes: left.indexes.slice(0, -1) }, compileArgument)
  const check = compileCheck(left, test, compileArgument)
  return (values) => {
    const items = get(values) as readonly Value[] | ReadonlyMap<string, Value> | undefined
    if (items === undefined) return !wanted
    if (Array.isArray(items)) {
      for (let at = 0; at < items.length; at++) if (check(items[at] as never, values) === wanted) return wanted
    } else for (const item of items.values()) if (check(item as never, values) === wanted) return wanted
    return !wanted
  }
}

/** A condition over elements: one Boolean for each. */
const compileMany = (node: Logical): ((values: Values) => readonly boolean[]) => {
  switch (node.kind) {
    case 'group':
      return compileMany(node.item)
    case 'not': {
      const item = compileMany(node.item)
      return (values) => item(values).map((each) => !each)
    }
    case 'combine':
      return combineMany(node.op, node.items.map(compileMany))
    case 'compare': {
      if (node.test.by === 'truth' && eachCount(node.left) === 0) {
        const get = compileAccess(node.left, compileArgument)
        return (values) => (get(values) as readonly boolean[] | undefined) ?? []
      }
      const elements = compileElements(node.left, compileArgument)
      const check = compileCheck(node.left, node.test, compileArgument)
      return (values) => elements(values).map((element) => check(element as never, values))
    }
    default:
      throw new Error(`${node.kind} gives one Boolean, not one for each element`)
  }
}

/** Element by element; the shortest decides the length. */
const combineMany = (
  op: LogicalOp,
  items: readonly ((values: Values) => readonly boolean[])[],
): ((values: Values) => readonly boolean[]) => {
  const join = joiners[op]
  return (values) => items.map((item) => item(values)).reduce((left, right) => join(left, right))
}

const zip =
  (join: (left: boolean, right: boolean) => boolean) =>
  (left: readonly boolean[], right: readonly boolean[]): readonly boolean[] =>
    left.slice(0, right.length).map((each, at) => join(each, right[at] as boolean))

const joiners = {
  and: zip((left, right) => left && right),
  or: zip((left, right) => left || right),
  xor: zip((left, right) => left !== right),
}

/** An argument that is a condition: its Boolean, or its Booleans. */
const compileArgument = (node: Logical): Getter =>
  isCompound(typeOfLogical(node)) ? compileMany(node) : compileOne(node)
