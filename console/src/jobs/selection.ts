/**
 * Which records a job exports and how, taken apart for a form and put together again. The redaction option is set
 * through the API only: it is read, so that the page can speak of it, and never written.
 */
import { type OutputOptions, readOutput, writeOutput } from './output.ts'

export type Selection = {
  readonly dataset: string
  /** Empty: the dataset's default fields. */
  readonly fields: readonly string[]
  readonly sample: string
  readonly timestamps: string
  /** JSON as the API takes it; empty for none. */
  readonly filter: string
  /** Null: JSON, one record a line. */
  readonly output: OutputOptions | null
}

export const freshSelection: Selection = {
  dataset: 'http_requests',
  fields: [],
  sample: '1',
  timestamps: 'rfc3339',
  filter: '',
  output: null,
}

export const redaction = 'CVE-2021-44228'

/** What a job says about its records. Where there are output options, its option string means nothing. */
type Said = {
  readonly dataset: string
  readonly logfetch_options: string | null
  readonly output_options: OutputOptions | null
  readonly filter: string
}

export function readSelection({ dataset, logfetch_options: options, output_options: output, filter }: Said): Selection {
  const parameters = new URLSearchParams(options ?? '')
  const shared = { dataset, filter, output: readOutput(output) }
  if (output)
    return {
      ...shared,
      fields: Array.isArray(output.field_names) ? output.field_names.map(String) : [],
      sample: String(output.sample_rate ?? '1'),
      timestamps: String(output.timestamp_format ?? 'unixnano'),
    }
  return {
    ...shared,
    fields: (parameters.get('fields') ?? '').split(',').filter(Boolean),
    sample: parameters.get('sample') ?? '1',
    timestamps: parameters.get('timestamps') ?? 'unixnano',
  }
}

export const redacts = ({ logfetch_options: options, output_options: output }: Said): boolean =>
  output ? output[redaction] === true : new URLSearchParams(options ?? '').get(redaction) === 'true'

export function writeOptions({ fields, sample, timestamps }: Selection): string {
  const parts = [
    ...(fields.length > 0 ? [`fields=${fields.join(',')}`] : []),
    ...(Number(sample) === 1 ? [] : [`sample=${sample.trim()}`]),
    ...(timestamps === 'unixnano' ? [] : [`timestamps=${timestamps}`]),
  ]
  return parts.join('&')
}

/** The members of a job that say the selection; the string too, so that it holds when output options go. */
export const writeSelection = (selection: Selection) => ({
  logfetch_options: writeOptions(selection),
  output_options: selection.output && writeOutput(selection.output, selection),
  filter: selection.filter,
})
