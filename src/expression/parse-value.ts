/** Values: fields and calls with their indexes, and the arguments of calls. */
import { textOf } from './bytes.ts'
import {
  boolArray,
  cannotIndex,
  expectedType,
  leastArguments,
  paramAt,
  typeAt,
  typeOfArgument,
  typeOfBase,
  whatCallGives,
  whyNotArgument,
} from './check.ts'
import type { LanguageFunction } from './define.ts'
import { Stop } from './fault.ts'
import { takeBytes, takeInteger, takeLiteral } from './literal.ts'
import { isCompared, readComparison } from './parse-comparison.ts'
import { attempt, nested, type Reading } from './reading.ts'
import { suggest } from './suggest.ts'
import { expect, isAtEnd, peek, skipSpace, startsHere, stop, take, takeName } from './token.ts'
import { type Access, type Argument, type Call, eachCount, type Index, type Logical } from './tree.ts'
import { typeName } from './type.ts'

export const readAccess = (reading: Reading): Access => {
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
  if (beginsString(reading)) return takeLiteral(reading, 'Bytes')
  if (peek(reading) === '(' || startsHere(reading, 'not') || peek(reading) === '!' || isQuantifier(reading)) {
    return reading.readCondition(reading)
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

const readAccessOrComparison = (reading: Reading, access: Access): Argument =>
  isCompared(reading) ? readComparison(reading, access, readAccess) : access

export const beginsString = (reading: Reading): boolean =>
  peek(reading) === '"' || startsHere(reading, 'r"') || startsHere(reading, 'r#')

/** `true` and `false`, as whole names. */
export const readConstant = (reading: Reading): Logical | undefined => {
  const from = reading.at
  const [word] = /^(?:true|false)(?![A-Za-z0-9_.])/.exec(reading.text.slice(from, from + 6)) ?? []
  if (word === undefined || from + word.length > reading.end) return undefined
  reading.at += word.length
  return { kind: 'constant', value: word === 'true' }
}

export const isQuantifier = (reading: Reading): boolean => {
  if (!startsHere(reading, 'any') && !startsHere(reading, 'all')) return false
  const from = reading.at
  reading.at += 3
  skipSpace(reading)
  const isCall = peek(reading) === '('
  reading.at = from
  return isCall
}

export const readQuantifier = (reading: Reading): Logical => {
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
