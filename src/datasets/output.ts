/**
 * Output options: the object that says which fields a job writes and how a batch of records becomes text. A job that has
 * them does not look at its option string at all. `output_type` chooses the defaults of the framing.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Judged, judgedBy, type Reason, reject } from '../base/index.ts'
import type { Dataset } from './dataset.ts'
import { isObject, pointTo } from './json.ts'
import { excerpt, isTimestampFormat, judgeNames, mayBeSample } from './judging.ts'
import {
  type Compression,
  compressions,
  type Output,
  plainSelection,
  type Selection,
  timestampFormats,
} from './selection.ts'
import { judgeTemplate } from './template.ts'

const framing = [
  'batch_prefix',
  'batch_suffix',
  'record_prefix',
  'record_suffix',
  'record_delimiter',
  'field_delimiter',
  'record_template',
] as const

const outputTypes = ['ndjson', 'csv', 'parquet'] as const
type OutputType = (typeof outputTypes)[number]

type Frame = Omit<Extract<Output, { type: 'framed' }>, 'type' | 'style' | 'template'>
const bare: Frame = {
  batchPrefix: '',
  batchSuffix: '',
  recordPrefix: '',
  recordSuffix: '\n',
  recordDelimiter: '',
  fieldDelimiter: ',',
}
const plainFrames = { csv: bare, ndjson: { ...bare, recordPrefix: '{', recordSuffix: '}\n' } }

const known: readonly string[] = [
  'field_names',
  'output_type',
  ...framing,
  'timestamp_format',
  'sample_rate',
  'CVE-2021-44228',
  'merge_subrequests',
  'compression',
]

const longest = 4096

type Complain = (pointer: string, message: string) => void

/** Judges the object; null for any member means its default. Pointers lead into the object. */
export function judgeOutputOptions(options: unknown, dataset: Dataset): Judged<Selection> {
  if (!isObject(options)) return reject('output_options is an object')
  const reasons: Reason[] = []
  const complain: Complain = (pointer, message) => reasons.push({ pointer, message })

  for (const key of Object.keys(options).filter((each) => !known.includes(each)))
    complain(pointTo('', key), `unknown output option ${excerpt(key)}`)

  const plain = plainSelection(dataset)
  const fields = judgeFieldNames(options.field_names ?? null, dataset, complain) ?? plain.fields
  const timestamps = options.timestamp_format ?? plain.timestamps
  if (!isTimestampFormat(timestamps))
    complain('/timestamp_format', `timestamp_format is one of ${timestampFormats.join(', ')}`)
  const sample = options.sample_rate ?? plain.sample
  if (typeof sample !== 'number' || !mayBeSample(sample))
    complain('/sample_rate', 'sample_rate is a number between 0.001 and 1')
  const redact = options['CVE-2021-44228'] ?? plain.redact
  if (typeof redact !== 'boolean') complain('/CVE-2021-44228', 'CVE-2021-44228 is true or false')
  if ((options.merge_subrequests ?? false) !== false)
    complain('/merge_subrequests', 'merge_subrequests can only be false: subrequests are not merged here')

  const type = options.output_type ?? 'ndjson'
  const output = isOutputType(type) ? judgeFraming(type, options, dataset, fields, complain) : undefined
  if (!output) complain('/output_type', `output_type is one of ${outputTypes.join(', ')}`)
  const compression = judgeCompression(options.compression ?? null, output, complain)

  return judgedBy(reasons, () => ({
    fields,
    sample: sample as number,
    timestamps: timestamps as Selection['timestamps'],
    redact: redact as boolean,
    output: output as Output,
    compression,
    filter: null,
  }))
}

function judgeFieldNames(value: unknown, dataset: Dataset, complain: Complain): readonly string[] | undefined {
  if (value === null) return undefined
  if (!Array.isArray(value) || value.length === 0) {
    complain('/field_names', 'field_names is a list of field names, or null for the default fields')
    return undefined
  }
  for (const [index, verdict] of judgeNames(dataset, value).entries())
    if (verdict) complain(`/field_names/${index}`, verdict)
  return value
}

function judgeCompression(value: unknown, output: Output | undefined, complain: Complain): Compression {
  if (output?.type === 'parquet') {
    if (value !== null)
      complain('/compression', 'compression has no meaning for a parquet file, which packs its own pages')
    return 'none'
  }
  const known = compressions.find((each) => each === (value ?? 'gzip'))
  if (!known) complain('/compression', `compression is one of ${compressions.join(', ')}`)
  return known ?? 'gzip'
}

/** How a batch is framed. Framing that equals the plain one is the plain one, so that it keeps the fast path. */
function judgeFraming(
  type: OutputType,
  options: Record<string, unknown>,
  dataset: Dataset,
  fields: readonly string[],
  complain: Complain,
): Output {
  if (type === 'parquet') {
    for (const key of framing)
      if ((options[key] ?? null) !== null) complain(`/${key}`, `${key} has no meaning in a parquet file`)
    return { type }
  }
  const plain = plainFrames[type]
  const read = (key: (typeof framing)[number], otherwise: string): string => {
    const text = options[key] ?? otherwise
    if (typeof text === 'string' && text.length <= longest && text.isWellFormed()) return text
    complain(`/${key}`, `${key} is a well-formed string of at most ${longest} characters`)
    return otherwise
  }
  const frame: Frame = {
    batchPrefix: read('batch_prefix', plain.batchPrefix),
    batchSuffix: read('batch_suffix', plain.batchSuffix),
    recordPrefix: read('record_prefix', plain.recordPrefix),
    recordSuffix: read('record_suffix', plain.recordSuffix),
    recordDelimiter: read('record_delimiter', plain.recordDelimiter),
    fieldDelimiter: read('field_delimiter', plain.fieldDelimiter),
  }
  const template = judgeTemplate(read('record_template', ''), dataset, fields)
  if (!template.ok) for (const { message } of template.reasons) complain('/record_template', message)
  const parts = template.ok && template.value.length > 0 ? template.value : null
  const isPlain = type === 'ndjson' && parts === null && isDeepStrictEqual(frame, plain)
  return isPlain ? { type } : { type: 'framed', style: type, ...frame, template: parts }
}

const isOutputType = (type: unknown): type is OutputType => outputTypes.some((each) => each === type)
