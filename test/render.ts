/** What output options mean, said as plainly as possible: the oracle that rendered batches are compared with. Tests only. */
import { toRfc3339 } from '../src/base/index.ts'
import {
  type Dataset,
  type Field,
  findField,
  type Selection,
  type TemplatePart,
  toLine,
} from '../src/datasets/index.ts'

type Row = Readonly<Record<string, unknown>>

/** The text of a batch of records, sampling and filter apart; timestamps of the records are nanoseconds in a bigint. */
export function renderBatch(selection: Selection, dataset: Dataset, records: readonly Row[]): string {
  const { output } = selection
  if (output.type === 'parquet') throw new Error('a parquet file is no text')
  const frame = output.type === 'framed' ? output : plain
  const value = (name: string, record: Row) => renderValue(selection, findField(dataset, name) as Field, record[name])
  const label = (name: string) => (frame.style === 'csv' ? '' : `${JSON.stringify(name)}:`)
  const part = (part: TemplatePart, record: Row): string => {
    if ('text' in part) return part.text
    return 'field' in part ? value(part.field, record) : 'null'
  }
  const body = (record: Row): string =>
    frame.template
      ? frame.template.map((each) => part(each, record)).join('')
      : selection.fields.map((name) => label(name) + value(name, record)).join(frame.fieldDelimiter)
  const rows = records.map((record) => frame.recordPrefix + body(record) + frame.recordSuffix)
  const text = frame.batchPrefix + rows.join(frame.recordDelimiter) + frame.batchSuffix
  return selection.redact ? text.replaceAll('${', 'x{') : text
}

const plain = {
  style: 'ndjson',
  batchPrefix: '',
  batchSuffix: '',
  recordPrefix: '{',
  recordSuffix: '}\n',
  recordDelimiter: '',
  fieldDelimiter: ',',
  template: null,
} as const

/** JSON of one value; a missing one is the empty value of its type. */
function renderValue({ timestamps }: Selection, field: Field, held: unknown): string {
  const empty = { string: '', int: 0n, bool: false, float: 0, array: [], object: {} }
  const value = held ?? empty[field.type]
  if (!field.timestamp) return toLine({ value }).slice('{"value":'.length, -1)
  const nanos = BigInt(value as bigint)
  const forms = {
    unixnano: () => nanos.toString(),
    unix: () => (nanos / 1_000_000_000n).toString(),
    rfc3339: () => `"${toRfc3339(nanos)}"`,
    rfc3339ms: () => `"${toRfc3339(nanos, 'milliseconds')}"`,
    rfc3339ns: () => `"${toRfc3339(nanos, 'nanoseconds')}"`,
  }
  return forms[timestamps]()
}
