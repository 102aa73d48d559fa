/** The types of the language. Compound types are interned, so equal types are the same object and compare with `===`. */

export type Primitive = 'Bool' | 'Bytes' | 'Int' | 'Ip'
export type Compound = { readonly of: 'Array' | 'Map'; readonly item: Type }
export type Type = Primitive | Compound

const interned = new Map<string, Compound>()

const compound = (of: Compound['of'], item: Type): Compound => {
  const name = `${of}<${typeName(item)}>`
  const known = interned.get(name)
  if (known) return known
  const made: Compound = { of, item }
  interned.set(name, made)
  return made
}

export const arrayOf = (item: Type): Compound => compound('Array', item)
const mapOf = (item: Type): Compound => compound('Map', item)

export const isCompound = (type: Type): type is Compound => typeof type !== 'string'
export const isArray = (type: Type): type is Compound => isCompound(type) && type.of === 'Array'
export const isMap = (type: Type): type is Compound => isCompound(type) && type.of === 'Map'

/** `Array<Bytes>`: how messages about mismatches name a type. */
export const typeName = (type: Type): string => (isCompound(type) ? `${type.of}<${typeName(type.item)}>` : type)

/**
 * How messages about operators and indexes name a type. The spelling is the one the hosted product prints, internals
 * included, and clients match on it: the layers below the outermost are bits, 0 for an array and 1 for a map.
 */
export const typeInternals = (type: Type): string => {
  if (!isCompound(type)) return type
  let layers = 0
  let length = 0
  let inner = type.item
  for (; isCompound(inner); inner = inner.item) {
    layers |= (inner.of === 'Map' ? 1 : 0) << length
    length++
  }
  return `${type.of}(CompoundType { layers: ${layers}, len: ${length}, primitive: ${inner} })`
}

const documented: Record<string, Primitive> = {
  Boolean: 'Bool',
  Integer: 'Int',
  String: 'Bytes',
  Bytes: 'Bytes',
  IP: 'Ip',
}

/** The type that the field reference writes as `Map<Array<String>>`; String and Bytes are one type. */
export const readType = (name: string): Type => {
  const [, of, item] = /^(Array|Map)<(.+)>$/.exec(name) ?? []
  if (of && item) return of === 'Array' ? arrayOf(readType(item)) : mapOf(readType(item))
  const known = documented[name]
  if (!known) throw new Error(`no type is called ${name}`)
  return known
}

/** The name the documentation uses: String, Integer, Boolean, IP. */
export const documentedName = (type: Type): string => {
  if (isCompound(type)) return `${type.of}<${documentedName(type.item)}>`
  return { Bool: 'Boolean', Int: 'Integer', Bytes: 'String', Ip: 'IP' }[type]
}
