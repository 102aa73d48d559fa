/**
 * How the engine writes records. All text goes through its `Template` format, where a value is written as JSON or, for
 * objects that are kept as JSON text, as it stands.
 *
 * Measured in one run over 208,000 records of http_requests, CPU-seconds per GB of raw log, no compression: 12 fields 1.7 by
 * Template, 2.5 by JSONEachRow, 2.8 by concat() and TSVRaw; all 120 fields 17, 29 and 25 (other work on the machine).
 *
 * Redaction is done on the values in SQL, because the engine compresses what it writes: a byte filter after it would have
 * to unpack and pack again. It is exact: a JSON string never splits `${`, escapes of either character inside objects were
 * undone at ingest, and the places where text of the frame meets an object are looked at here.
 */
import { type Dataset, type Field, findField, type Output, type Selection } from '../datasets/index.ts'
import { column } from './tables.ts'

export type Rendering = {
  /** Expressions of the SELECT list. */
  readonly columns: readonly string[]
  /** Expressions of the text of each value, once for every place it is written. */
  readonly values: readonly string[]
  /** Bytes that the frame adds to each record with what stands between two, that alone, and to the whole. */
  readonly frameBytes: { readonly record: number; readonly between: number; readonly batch: number }
  /** Line ends in each record, between two, and in what stands around all; undefined when a record has none at its end. */
  readonly lineEnds: { readonly record: number; readonly between: number; readonly batch: number } | undefined
  /** The text from the last line end of a record on to the end of all. */
  readonly end: string
  readonly format: 'Template' | 'Parquet'
  readonly settings: readonly (readonly [name: string, value: string])[]
}

type Framed = Extract<Output, { readonly type: 'framed' }>

const plainFrame: Framed = {
  type: 'framed',
  style: 'ndjson',
  batchPrefix: '',
  batchSuffix: '',
  recordPrefix: '{',
  recordSuffix: '}\n',
  recordDelimiter: '',
  fieldDelimiter: ',',
  template: null,
}

export function renderingOf(dataset: Dataset, selection: Selection): Rendering {
  const { output } = selection
  if (output.type === 'parquet') return parquet(dataset, selection)
  const frame = output.type === 'ndjson' ? plainFrame : output
  return framed(dataset, selection, frame)
}

const jsonSettings = [
  ['output_format_json_quote_64bit_integers', '0'],
  ['output_format_json_escape_forward_slashes', '0'],
  ['output_format_json_quote_denormals', '0'],
] as const

/** A record as a row of pieces: text, or the place of a value. */
type Piece = { readonly text: string } | { readonly field: Field }

function framed(dataset: Dataset, selection: Selection, given: Framed): Rendering {
  const { pieces, before, between, after } = selection.redact
    ? withoutDollarBraces(batchOf(dataset, selection, given))
    : batchOf(dataset, selection, given)
  const used = [...new Set(pieces.flatMap((piece) => ('field' in piece ? [piece.field] : [])))]
  const alias = new Map(used.map((field, index) => [field, `_${index}`]))
  const place = (field: Field) => `\${${alias.get(field)}:${isRaw(field) ? 'Raw' : 'JSON'}}`
  const row = pieces.map((piece) => ('text' in piece ? escapeTemplate(piece.text) : place(piece.field))).join('')
  const ownBytes = pieces.reduce((sum, piece) => sum + ('text' in piece ? Buffer.byteLength(piece.text) : 0), 0)
  return {
    // A template may use no field at all; a query selects at least something, and writes it.
    columns:
      used.length === 0 ? ["'' AS _0"] : used.map((field) => `${expression(field, selection)} AS ${alias.get(field)}`),
    values: pieces.flatMap((piece) => ('field' in piece ? [textOf(piece.field, selection)] : [])),
    frameBytes: {
      record: ownBytes + Buffer.byteLength(between),
      between: Buffer.byteLength(between),
      batch: Buffer.byteLength(before) + Buffer.byteLength(after),
    },
    ...endOf(pieces, between, before, after),
    format: 'Template',
    settings: [
      ...jsonSettings,
      ['format_template_row_format', used.length === 0 ? `\${_0:Raw}${row}` : row],
      ['format_template_rows_between_delimiter', between],
      ['format_template_resultset_format', `${escapeTemplate(before)}\${data}${escapeTemplate(after)}`],
    ],
  }
}

/** No value has a line end in its text, so those of the frame tell how many records there are. */
function endOf(
  pieces: readonly Piece[],
  between: string,
  before: string,
  after: string,
): Pick<Rendering, 'lineEnds' | 'end'> {
  const last = pieces.at(-1)
  const tail = last && 'text' in last ? last.text : ''
  const lineEndsIn = (text: string) => text.split('\n').length - 1
  if (lineEndsIn(tail) === 0) return { lineEnds: undefined, end: after }
  return {
    lineEnds: {
      record: pieces.reduce((sum, piece) => sum + ('text' in piece ? lineEndsIn(piece.text) : 0), 0),
      between: lineEndsIn(between),
      batch: lineEndsIn(before) + lineEndsIn(after),
    },
    end: tail.slice(tail.lastIndexOf('\n')) + after,
  }
}

/** The whole of a batch: what stands before, between and after its records, and the pieces of each. */
type BatchText = {
  readonly pieces: readonly Piece[]
  readonly before: string
  readonly between: string
  readonly after: string
}

const batchOf = (dataset: Dataset, selection: Selection, frame: Framed): BatchText => ({
  pieces: rowOf(dataset, selection, frame),
  before: frame.batchPrefix,
  between: frame.recordDelimiter,
  after: frame.batchSuffix,
})

function rowOf(dataset: Dataset, selection: Selection, frame: Framed): readonly Piece[] {
  const body: readonly Piece[] = frame.template
    ? frame.template.map((part) =>
        'field' in part ? { field: fieldOf(dataset, part.field) } : { text: 'text' in part ? part.text : 'null' },
      )
    : selection.fields.flatMap((name, index) => [
        { text: `${index === 0 ? '' : frame.fieldDelimiter}${frame.style === 'csv' ? '' : `"${name}":`}` },
        { field: fieldOf(dataset, name) },
      ])
  return joinText([{ text: frame.recordPrefix }, ...body, { text: frame.recordSuffix }])
}

/** Neighbouring texts as one, and no empty ones. */
function joinText(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if ('text' in piece && last && 'text' in last) joined[joined.length - 1] = { text: last.text + piece.text }
    else if (!('text' in piece) || piece.text !== '') joined.push(piece)
  }
  return joined
}

const redactText = (text: string): string => text.replaceAll('${', 'x{')

/** No `${` in the text of the frame, nor where it meets what follows: an object, the next record, the end. */
function withoutDollarBraces({ pieces, before, between, after }: BatchText): BatchText {
  const [first] = pieces
  const afterRecord: readonly (Piece | undefined)[] = [between === '' ? first : { text: between }, { text: after }]
  return {
    pieces: pieces.map((piece, index) => {
      if ('field' in piece) return piece
      const next = pieces[index + 1]
      return { text: redacted(piece.text, next ? [next] : afterRecord) }
    }),
    before: redacted(before, [first]),
    between: redacted(between, [first]),
    after: redactText(after),
  }
}

function redacted(text: string, next: readonly (Piece | undefined)[]): string {
  const clean = redactText(text)
  const meetsBrace = next.some(
    (piece) => piece && ('text' in piece ? piece.text.startsWith('{') : piece.field.type === 'object'),
  )
  return meetsBrace && clean.endsWith('$') ? `${clean.slice(0, -1)}x` : clean
}

const escapeTemplate = (text: string): string => text.replaceAll('$', '$$$$')

/** Objects are kept as JSON text, so they are written as they stand. */
const isRaw = (field: Field): boolean => field.type === 'object' || field.items === 'object'

function parquet(dataset: Dataset, selection: Selection): Rendering {
  return {
    columns: selection.fields.map((name) => `${expression(fieldOf(dataset, name), selection)} AS ${column(name)}`),
    values: selection.fields.map((name) => textOf(fieldOf(dataset, name), selection)),
    frameBytes: { record: 0, between: 0, batch: 0 },
    lineEnds: undefined,
    end: '',
    format: 'Parquet',
    settings: [
      // One writer, so that the same records give the same bytes.
      ['output_format_parquet_parallel_encoding', '0'],
      ['output_format_parquet_string_as_string', '1'],
    ],
  }
}

function expression(field: Field, { timestamps, redact, output }: Selection): string {
  const name = column(field.name)
  if (field.timestamp) return timeExpression(name, timestamps)
  const clean = (text: string) => (redact ? `replaceAll(${text}, '\${', 'x{')` : text)
  if (field.type === 'string') return clean(name)
  if (field.type === 'object') return clean(`if(${name} = '', '{}', ${name})`)
  if (field.type === 'array' && field.items === 'object' && output.type !== 'parquet')
    return clean(`concat('[', arrayStringConcat(${name}, ','), ']')`)
  if (field.type === 'array' && field.items !== 'int' && redact) return `arrayMap(each -> ${clean('each')}, ${name})`
  return name
}

/** RFC 3339 cuts the fraction and does not round, as time.ts does. */
function timeExpression(name: string, format: Selection['timestamps']): string {
  const second = `intDiv(${name} - positiveModulo(${name}, 1000000000), 1000000000)`
  const date = `formatDateTime(toDateTime64(${second}, 0, 'UTC'), '%Y-%m-%dT%H:%i:%S')`
  const fraction = (places: number) =>
    `leftPad(toString(intDiv(positiveModulo(${name}, 1000000000), ${10 ** (9 - places)})), ${places}, '0')`
  switch (format) {
    case 'unixnano':
      return name
    case 'unix':
      return second
    case 'rfc3339':
      return `concat(${date}, 'Z')`
    case 'rfc3339ms':
      return `concat(${date}, '.', ${fraction(3)}, 'Z')`
    case 'rfc3339ns':
      return `concat(${date}, '.', ${fraction(9)}, 'Z')`
  }
}

const textOf = (field: Field, selection: Selection): string =>
  isRaw(field) && selection.output.type !== 'parquet'
    ? expression(field, selection)
    : `toJSONString(${expression(field, selection)})`

function fieldOf(dataset: Dataset, name: string): Field {
  const field = findField(dataset, name)
  if (!field) throw new Error(`${dataset.name} has no field ${name}: the selection was not judged against it`)
  return field
}
