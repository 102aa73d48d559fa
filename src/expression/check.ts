/** The checks of types: what a comparison, an index or a call may be applied to, and what it gives. */
import type { LanguageFunction, Param, Wanted } from './define.ts'
import type { Access, Argument, Index, Logical } from './tree.ts'
import { eachCount } from './tree.ts'
import { arrayOf, isArray, isCompound, isMap, type Type, typeInternals, typeName } from './type.ts'

export const boolArray = arrayOf('Bool')

/** Bool, or an array of them where `[*]` is at work. */
export const typeOfLogical = (node: Logical): Type => {
  switch (node.kind) {
    case 'combine':
      return typeOfLogical(node.items[0] as Logical)
    case 'not':
    case 'group':
      return typeOfLogical(node.item)
    case 'quantifier':
    case 'constant':
      return 'Bool'
    case 'compare':
      if (eachCount(node.left) > 0) return boolArray
      return node.test.by === 'truth' ? node.left.type : 'Bool'
  }
}

export const typeOfArgument = (argument: Argument): Type =>
  argument.kind === 'access' || argument.kind === 'literal' ? argument.type : typeOfLogical(argument)

/** What a base gives: a field's type, a call's result, or an array of results when the call is made per element. */
export const typeOfBase = (base: Access['base']): Type => {
  if (base.kind === 'field') return base.field.type
  return isCalledPerElement(base.args) ? arrayOf(base.gives) : base.gives
}

export const isCalledPerElement = ([first]: readonly Argument[]): boolean =>
  first?.kind === 'access' && eachCount(first) > 0

/** The type behind an index, or nothing when the type has no such index. */
export const typeAt = (type: Type, index: Index): Type | undefined => {
  if (!isCompound(type)) return undefined
  if (index.at === 'each') return type.item
  return (index.at === 'item' ? isArray(type) : isMap(type)) ? type.item : undefined
}

export const cannotIndex = (type: Type, index: Index): string =>
  `cannot access index ${indexName(index)} for type ${typeInternals(type)}`

const indexName = (index: Index): string => {
  if (index.at === 'each') return 'MapEach'
  return index.at === 'item' ? `ArrayIndex(${index.item})` : `MapKey(${JSON.stringify(index.key)})`
}

export const cannotCompare = (type: Type): string => `cannot perform this operation on type ${typeInternals(type)}`

export const expectedType = (expected: string, actual: Type): string =>
  `expected value of type ${expected}, but got ${typeName(actual)}`

/** The parameter that argument number `at` belongs to; nothing when there are too many. */
export const paramAt = (called: LanguageFunction, at: number): Param | undefined =>
  called.takes[at] ?? called.rest?.param

export const leastArguments = (called: LanguageFunction): number =>
  called.takes.filter((param) => !param.optional).length + (called.rest?.atLeast ?? 0)

/** Why an argument does not fit, in the order that clients know: its kind, then its type, then its value. */
export const whyNotArgument = (
  called: LanguageFunction,
  before: readonly Argument[],
  argument: Argument,
): string | undefined => {
  const at = before.length
  const param = paramAt(called, at)
  if (!param) return undefined
  const kind = argument.kind === 'literal' ? 'Literal' : 'Field'
  const wantedKind = param.kind === 'literal' ? 'Literal' : 'Field'
  if (param.kind !== 'any' && kind !== wantedKind) {
    return `invalid kind of argument #${at}: expected argument of kind ${wantedKind}, but got ${kind}`
  }
  const type = typeOfArgument(argument)
  const first = before[0] && typeOfArgument(before[0])
  const wanted = param.wants.map((each) => resolve(each, first))
  if (!wanted.some((each) => fits(type, each))) {
    return `invalid type of argument #${at}: ${expectedType(listWanted(wanted), type)}`
  }
  const why = called.check?.(at, argument)
  return why === undefined ? undefined : `invalid value of argument #${at}: invalid argument: ${JSON.stringify(why)}`
}

export const whatCallGives = (called: LanguageFunction, args: readonly Argument[]): Type =>
  called.gives === 'first' ? typeOfArgument(args[0] as Argument) : called.gives

type Resolved = Type | 'Array<_>' | 'Map<_>'

const resolve = (wanted: Wanted, first: Type | undefined): Resolved => {
  if (wanted === 'first') return first ?? 'Bytes'
  if (wanted === 'element') return first && isCompound(first) ? first.item : 'Bytes'
  return wanted
}

const fits = (type: Type, wanted: Resolved): boolean => {
  if (wanted === 'Array<_>') return isArray(type)
  return wanted === 'Map<_>' ? isMap(type) : type === wanted
}

const listWanted = (wanted: readonly Resolved[]): string => {
  const names = wanted.map((each) => (each === 'Array<_>' || each === 'Map<_>' ? each : typeName(each)))
  return names.length > 2 ? `{${names.join(', ')}}` : names.join(' or ')
}
