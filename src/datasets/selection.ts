/** What one export or one fetch selects, and how it is written: the meaning of an option string, of output options and of a filter. */
import { type Dataset, type Field, findField } from './dataset.ts'

export const timestampFormats = ['unixnano', 'unix', 'rfc3339', 'rfc3339ms', 'rfc3339ns'] as const
export type TimestampFormat = (typeof timestampFormats)[number]

export type Selection = {
  /** In the order they are written. */
  readonly fields: readonly string[]
  /** The share of records kept, 0.001 to 1; chosen by a hash of the record, so a second try keeps the same. */
  readonly sample: number
  readonly timestamps: TimestampFormat
  /** Every `${` is written `x{`. */
  readonly redact: boolean
  readonly output: Output
  readonly filter: Filter
}

/** How the text of a batch is put together; `ndjson` is the plain fast path, one object a line. */
export type Output =
  | { readonly type: 'ndjson' }
  | {
      readonly type: 'framed'
      readonly style: 'ndjson' | 'csv'
      readonly batchPrefix: string
      readonly batchSuffix: string
      readonly recordPrefix: string
      readonly recordSuffix: string
      /** Between records, not after the last. */
      readonly recordDelimiter: string
      readonly fieldDelimiter: string
      /** The body of each record in place of the field list; the field delimiter is not used then. */
      readonly template: readonly TemplatePart[] | null
    }
  | { readonly type: 'parquet' }

/** A field is rendered as its JSON value; a field that is not selected is the word `null`. */
export type TemplatePart = { readonly text: string } | { readonly field: string } | { readonly null: true }

/** Which records are kept; null keeps all. */
export type Filter = FilterNode | null

export type FilterNode =
  | { readonly and: readonly FilterNode[] }
  | { readonly or: readonly FilterNode[] }
  | FilterCondition

/** Values are normalised: an int is decimal text without leading zeros, exact at any size. */
export type FilterCondition =
  | { readonly key: Field; readonly operator: EqualOperator; readonly value: string | boolean }
  | { readonly key: Field; readonly operator: OrderOperator; readonly value: string }
  | { readonly key: Field; readonly operator: TextOperator; readonly value: string }
  | { readonly key: Field; readonly operator: ListOperator; readonly value: readonly string[] }

export type EqualOperator = 'eq' | '!eq'
export type OrderOperator = 'lt' | 'leq' | 'gt' | 'geq'
export type TextOperator = 'startsWith' | '!startsWith' | 'endsWith' | '!endsWith' | 'contains' | '!contains'
export type ListOperator = 'in' | '!in'
export type FilterOperator = EqualOperator | OrderOperator | TextOperator | ListOperator

/** What a caller gets who asks for nothing in particular. */
export const plainSelection = (dataset: Dataset): Selection => ({
  fields: dataset.defaultFields,
  sample: 1,
  timestamps: 'unixnano',
  redact: false,
  output: { type: 'ndjson' },
  filter: null,
})

export const isTimestampFormat = (text: unknown): text is TimestampFormat =>
  timestampFormats.some((format) => format === text)

export const mayBeSample = (share: number): boolean => share >= 0.001 && share <= 1

/** Why a dataset has no field of this name, with the one that was probably meant. */
export function sayUnknownField(dataset: Dataset, name: string): string {
  const near = dataset.fields.find((field) => field.name.toLowerCase() === name.toLowerCase())
  const hint = near ? `, did you mean ${near.name}?` : ''
  return `${dataset.name} has no field ${excerpt(name)}${hint}`
}

/** What is wrong with each name of a list, by its index: not a field of the dataset, or named before. */
export function judgeNames(dataset: Dataset, names: readonly unknown[]): readonly (string | undefined)[] {
  const seen = new Set<string>()
  return names.map((name) => {
    if (typeof name !== 'string') return 'a field name is a string'
    if (name === '') return 'a field name is empty'
    if (!findField(dataset, name)) return sayUnknownField(dataset, name)
    if (seen.has(name)) return `field ${name} is named twice`
    seen.add(name)
    return undefined
  })
}

/** A caller's own text in a reason: quoted, and short however long it was. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text)
}
