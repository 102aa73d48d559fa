/** Values of one request, in the form that predicates read: a table with one slot per field, filled once. */
import { accept, type Judged, type Reason } from '../base/index.ts'
import { toBytes } from './bytes.ts'
import { type Field, fields } from './fields.ts'
import { type Ip, isIp, parseIp } from './ip.ts'
import type { Lists } from './lists.ts'
import { isCompound, type Primitive, type Type, typeName } from './type.ts'

/** Integers have 64 bits: a number while that is exact, a bigint beyond, so `===` between two of them is exact. */
export type Integer = number | bigint
export type Scalar = string | Integer | boolean | Ip
export type Value = Scalar | readonly Value[] | ReadonlyMap<string, Value>

export type Values = {
  /** By `Field.slot`; an absent value is undefined. */
  readonly slots: (Value | undefined)[]
  readonly lists: Lists
  /** Tokens that the request carries, by token configuration: whether each is valid. */
  readonly tokens: ReadonlyMap<string, boolean>
}

const noLists: Lists = () => undefined
const noTokens: ReadonlyMap<string, boolean> = new Map()

/** A table in which every field is missing. */
export const emptyValues = (lists: Lists = noLists, tokens = noTokens): Values => ({
  slots: new Array<Value | undefined>(fields.length).fill(undefined),
  lists,
  tokens,
})

const byName = new Map(fields.map((field) => [field.name, field]))

/** Reads plain JavaScript (a parsed JSON document) into a table, by field name and type; every misfit is a reason. */
export const readValues = (record: Readonly<Record<string, unknown>>, lists: Lists = noLists): Judged<Values> => {
  const values = emptyValues(lists)
  const reasons: Reason[] = []
  for (const [name, given] of Object.entries(record)) {
    const field = byName.get(name)
    if (!field) reasons.push({ message: `there is no field ${name}`, pointer: `/${name}` })
    else if (given !== undefined && given !== null && !setValue(values, field, given)) {
      reasons.push({ message: `${name} takes a value of type ${typeName(field.type)}`, pointer: `/${name}` })
    }
  }
  return reasons.length === 0 ? accept(values) : { ok: false, reasons }
}

/** Puts one value into its slot, converted; false when it does not fit the field's type. */
export const setValue = (values: Values, field: Field, given: unknown): boolean => {
  const value = readValue(given, field.type)
  if (value !== undefined) values.slots[field.slot] = value
  return value !== undefined
}

const readValue = (given: unknown, type: Type): Value | undefined => {
  if (!isCompound(type)) return readScalar(given, type)
  if (type.of === 'Array') return Array.isArray(given) ? readItems(given, type.item) : undefined
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const entries = given instanceof Map ? [...given] : Object.entries(given)
  const items = readItems(
    entries.map(([, item]) => item),
    type.item,
  )
  return items && new Map(entries.map(([key], at) => [toBytes(String(key)), items[at] as Value]))
}

export const readScalar = (given: unknown, type: Primitive): Scalar | undefined => {
  switch (type) {
    case 'Bool':
      return typeof given === 'boolean' ? given : undefined
    case 'Bytes':
      return typeof given === 'string' ? toBytes(given) : undefined
    case 'Int':
      return readInteger(given)
    case 'Ip':
      if (isIp(given)) return given
      return typeof given === 'string' ? parseIp(given) : undefined
  }
}

const largest = 2n ** 63n - 1n
const smallest = -(2n ** 63n)

/** The exact form of an integer; undefined outside 64 bits. */
export const integer = (exact: bigint): Integer | undefined => {
  if (exact > largest || exact < smallest) return undefined
  return exact >= Number.MIN_SAFE_INTEGER && exact <= Number.MAX_SAFE_INTEGER ? Number(exact) : exact
}

const readInteger = (given: unknown): Integer | undefined => {
  if (typeof given === 'bigint') return integer(given)
  if (typeof given !== 'number' || !Number.isInteger(given)) return undefined
  if (Number.isSafeInteger(given)) return given
  // JSON has already rounded such a number, 2^63-1 up to 2^63: bring it back into 64 bits.
  if (Math.abs(given) >= 2 ** 63) return given > 0 ? largest : smallest
  return integer(BigInt(given))
}

const readItems = (given: readonly unknown[], type: Type): Value[] | undefined => {
  const items = given.map((item) => readValue(item, type))
  return items.includes(undefined) ? undefined : (items as Value[])
}
