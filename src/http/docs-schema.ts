/** Schemas as rows a person can read: the way to each field, what it may hold, and what it means. */

/** The part of JSON Schema that the contract uses. */
export type Schema = {
  readonly type?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

export type Row = {
  /** `rules[].action`; empty for a value that has no name. */
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly says: string
}

/** A field below, with the fields inside it after it. Contract schemas name no other, so this ends. */
export function rowsOf(schema: Schema, path = '', isRequired = true): Row[] {
  const inner = fieldsIn(schema)
  const own: Row = { path, type: typeOf(schema), isRequired, says: saysOf(schema) }
  const below = inner.flatMap(({ name, field, isRequired }) => rowsOf(field, join(path, name), isRequired))
  const isPlaceOnly = inner.length > 0 && (path === '' || path.endsWith('[]'))
  return isPlaceOnly ? below : [own, ...below]
}

const join = (path: string, name: string): string => {
  if (name === '[]') return `${path}[]`
  return path === '' ? name : `${path}.${name}`
}

type Inner = { readonly name: string; readonly field: Schema; readonly isRequired: boolean }

/** Fields of an object, of the objects of a list, or of the kinds of object that a value may be; each name once. */
function fieldsIn({ properties, patternProperties, items, anyOf, required = [] }: Schema): Inner[] {
  const named = Object.entries(properties ?? {}).map(([name, field]) => ({
    name,
    field,
    isRequired: required.includes(name),
  }))
  const others = Object.values(patternProperties ?? {}).map((field) => ({ name: '<name>', field, isRequired: false }))
  const listed = items && fieldsIn(items).length > 0 ? [{ name: '[]', field: items, isRequired: true }] : []
  const either = (anyOf ?? []).flatMap(fieldsIn)
  const all = [...named, ...others.filter(({ field }) => Object.keys(field).length > 0), ...listed, ...either]
  return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at)
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.items) return `list of ${typeOf(schema.items).replace(/^\w+$/, '$&s')}`
  return schema.type ?? 'anything'
}

function saysOf(schema: Schema): string {
  const { description, default: fallback, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema
  const inner = (schema.anyOf ?? []).map(saysOf).filter(Boolean)
  return [
    description,
    ...inner,
    minimum === undefined ? undefined : `at least ${minimum}`,
    maximum === undefined ? undefined : `at most ${maximum}`,
    minLength === undefined ? undefined : `at least ${minLength} characters`,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems} items`,
    pattern === undefined ? undefined : `in the form ${pattern}`,
    fallback === undefined ? undefined : `${JSON.stringify(fallback)} unless said`,
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}
