/** What one export or one fetch selects, and how it is written: the meaning of an option string, of output options and of a filter. */
import type { Dataset, Field } from './dataset.ts'

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
  /** Of each object; a parquet file packs its own pages and says `none`. */
  readonly compression: Compression
  readonly filter: Filter
}

export const compressions = ['gzip', 'zstd', 'none'] as const
export type Compression = (typeof compressions)[number]

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

type EqualOperator = 'eq' | '!eq'
type OrderOperator = 'lt' | 'leq' | 'gt' | 'geq'
type TextOperator = 'startsWith' | '!startsWith' | 'endsWith' | '!endsWith' | 'contains' | '!contains'
type ListOperator = 'in' | '!in'
export type FilterOperator = EqualOperator | OrderOperator | TextOperator | ListOperator

/** What a caller gets who asks for nothing in particular. */
export const plainSelection = (dataset: Dataset): Selection => ({
  fields: dataset.defaultFields,
  sample: 1,
  timestamps: 'unixnano',
  redact: false,
  output: { type: 'ndjson' },
  compression: 'gzip',
  filter: null,
})
