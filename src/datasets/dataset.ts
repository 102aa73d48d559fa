/** A dataset is a named kind of record: its fields with their types, and the scope it belongs to. It is data, read from a file. */
import { type Judged, judgedBy, type Reason, reject, type ScopeKind } from '../base/index.ts'
import { isObject, pointTo } from './json.ts'

export type FieldType = 'string' | 'int' | 'bool' | 'float' | 'array' | 'object'

export type Field = {
  readonly name: string
  readonly type: FieldType
  /** What an array holds. */
  readonly items?: 'string' | 'int' | 'object'
  readonly description: string
  /** An instant: kept as nanoseconds, written as the asked timestamp format says. */
  readonly timestamp?: true
  /** Still selectable, no longer recommended. */
  readonly deprecated?: true
  /** The values known today; records with others are kept all the same. */
  readonly enum?: readonly string[]
  readonly filterable: boolean
}

export type Dataset = {
  readonly name: string
  readonly scope: ScopeKind | 'both'
  /** The field that says when the event happened. */
  readonly timestampField: string
  readonly defaultFields: readonly string[]
  /** In alphabetical order. */
  readonly fields: readonly Field[]
}

export const findField = (dataset: Dataset, name: string): Field | undefined =>
  dataset.fields.find((field) => field.name === name)

/** The field list a caller sees: name to `<type>; <description>`, in alphabetical order. */
export function fieldList(dataset: Dataset, which: 'all' | 'default'): Record<string, string> {
  const listed = which === 'all' ? dataset.fields : dataset.fields.filter((field) => isDefault(dataset, field))
  return Object.fromEntries(listed.map((field) => [field.name, `${typeWord(field)}; ${describe(field)}`]))
}

const isDefault = (dataset: Dataset, field: Field): boolean => dataset.defaultFields.includes(field.name)

/** The type as field lists write it; an instant is a number or a text, depending on the timestamp format. */
export function typeWord(field: Field): string {
  if (field.timestamp) return 'int or string'
  return field.type === 'array' ? `array[${field.items}]` : field.type
}

const describe = (field: Field): string =>
  field.enum ? `${field.description}: ${field.enum.join(' | ')}` : field.description

// Both become identifiers: of a table, of a column, and of a path segment. Columns of our own begin with an underscore.
const datasetName = /^[a-z][a-z0-9_]{0,63}$/
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const mostFields = 500
const types: readonly string[] = ['string', 'int', 'bool', 'float', 'array', 'object'] satisfies FieldType[]
const itemTypes: readonly string[] = ['string', 'int', 'object']
const scopes: readonly string[] = ['account', 'zone', 'both']

/** Judges a dataset file: ours and an operator's alike. Pointers lead into the file. */
export function judgeDataset(file: unknown): Judged<Dataset> {
  if (!isObject(file)) return reject('a dataset file holds one JSON object')
  const reasons: Reason[] = strangers(file, ['name', 'scope', 'timestampField', 'defaultFields', 'fields'], '')
  const complain = (pointer: string, message: string) => reasons.push({ pointer, message })

  if (typeof file.name !== 'string' || !datasetName.test(file.name))
    complain('/name', 'name is up to 64 lower-case letters, digits and underscores, and begins with a letter')
  if (!isOneOf(scopes, file.scope)) complain('/scope', 'scope is account, zone or both')

  const fields = judgeFields(file.fields, reasons)
  const known = new Set(fields.map((field) => field.name))
  if (typeof file.timestampField !== 'string') complain('/timestampField', 'timestampField names a field')
  else if (fields.find((field) => field.name === file.timestampField)?.type !== 'int')
    complain('/timestampField', `timestampField ${quote(file.timestampField)} is not an int field of this dataset`)

  const defaults = Array.isArray(file.defaultFields) ? file.defaultFields : []
  if (defaults.length === 0) complain('/defaultFields', 'defaultFields lists at least one field')
  for (const [index, name] of defaults.entries()) {
    if (typeof name !== 'string' || !known.has(name))
      complain(`/defaultFields/${index}`, `${quote(name)} is not a field of this dataset`)
    else if (defaults.indexOf(name) !== index) complain(`/defaultFields/${index}`, `${quote(name)} is listed twice`)
  }

  return judgedBy(reasons, () => ({
    name: file.name as string,
    scope: file.scope as Dataset['scope'],
    timestampField: file.timestampField as string,
    defaultFields: defaults as string[],
    fields: fields.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }))
}

/** The fields that are sound; what is wrong with the others goes to the reasons. */
function judgeFields(value: unknown, reasons: Reason[]): Field[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostFields) {
    reasons.push({ pointer: '/fields', message: `fields is a list of 1 to ${mostFields} fields` })
    return []
  }
  const fields = value.map((entry, index) => judgeField(entry, `/fields/${index}`, reasons))
  const seen = new Set<string>()
  return fields.filter((field, index) => {
    if (!field) return false
    if (seen.has(field.name))
      reasons.push({ pointer: `/fields/${index}/name`, message: `field ${field.name} is described twice` })
    seen.add(field.name)
    return true
  }) as Field[]
}

function judgeField(entry: unknown, pointer: string, reasons: Reason[]): Field | undefined {
  if (!isObject(entry)) {
    reasons.push({ pointer, message: 'a field is an object' })
    return undefined
  }
  const { name, type, items, description, timestamp, deprecated, filterable } = entry
  if (typeof name !== 'string' || !fieldName.test(name)) {
    const rule = 'is not up to 64 letters, digits and underscores that begin with a letter'
    reasons.push({ pointer: `${pointer}/name`, message: `field name ${quote(name)} ${rule}` })
    return undefined
  }
  const before = reasons.length
  const complain = (part: string, message: string) =>
    reasons.push({ pointer: `${pointer}/${part}`, message: `field ${name}: ${message}` })
  const keys = ['name', 'type', 'items', 'description', 'timestamp', 'deprecated', 'enum', 'filterable']
  reasons.push(...strangers(entry, keys, pointer, `field ${name}: `))

  if (!isOneOf(types, type)) complain('type', `type is one of ${types.join(', ')}`)
  if (type === 'array' && !isOneOf(itemTypes, items))
    complain('items', `items of an array is one of ${itemTypes.join(', ')}`)
  if (type !== 'array' && items !== undefined) complain('items', 'only an array has items')
  if (typeof description !== 'string' || !/^[^\p{Cc}]{1,1000}$/u.test(description))
    complain('description', 'description is one line of text')
  if (timestamp !== undefined && timestamp !== true) complain('timestamp', 'timestamp is true or absent')
  if (timestamp === true && type !== 'int') complain('timestamp', 'only an int can be a timestamp')
  if (deprecated !== undefined && deprecated !== true) complain('deprecated', 'deprecated is true or absent')
  if (filterable !== undefined && typeof filterable !== 'boolean') complain('filterable', 'filterable is true or false')
  if (filterable === true && !mayFilter(type, items)) complain('filterable', 'no filter operator takes this type')
  if (entry.enum !== undefined && !isListOfStrings(entry.enum))
    complain('enum', 'enum is a list of one or more different strings')
  if (entry.enum !== undefined && type !== 'string' && items !== 'string') complain('enum', 'only strings have an enum')
  if (reasons.length > before) return undefined

  return {
    name,
    type: type as FieldType,
    ...(items === undefined ? {} : { items: items as NonNullable<Field['items']> }),
    description: description as string,
    ...(timestamp ? { timestamp: true } : {}),
    ...(deprecated ? { deprecated: true } : {}),
    ...(entry.enum === undefined ? {} : { enum: entry.enum as string[] }),
    filterable: filterable !== false && mayFilter(type, items),
  }
}

/** No operator compares objects or floats (facts of the filter grammar, see filter.ts). */
const mayFilter = (type: unknown, items: unknown): boolean =>
  type === 'string' || type === 'int' || type === 'bool' || (type === 'array' && items !== 'object')

const strangers = (entry: Record<string, unknown>, known: readonly string[], pointer: string, who = ''): Reason[] =>
  Object.keys(entry)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      pointer: pointTo(pointer, key),
      message: `${who}${quote(key)} is not known here; known are ${known.join(', ')}`,
    }))

const isOneOf = (list: readonly string[], value: unknown): boolean => typeof value === 'string' && list.includes(value)

const isListOfStrings = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each) => typeof each === 'string') &&
  new Set(value).size === value.length

const quote = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? 'nothing'
