/**
 * Which records a job exports and how, taken apart for a form and put together again. The redaction option is set
 * through the API only: it is read, so that the page can speak of it, and never written.
 */
export type Selection = {
  readonly dataset: string
  /** Empty: the dataset's default fields. */
  readonly fields: readonly string[]
  readonly sample: string
  readonly timestamps: string
  /** JSON as the API takes it; empty for none. */
  readonly filter: string
}

export const freshSelection: Selection = {
  dataset: 'http_requests',
  fields: [],
  sample: '1',
  timestamps: 'rfc3339',
  filter: '',
}

export const redaction = 'CVE-2021-44228'

export function readSelection(dataset: string, options: string | null, filter: string): Selection {
  const parameters = new URLSearchParams(options ?? '')
  return {
    dataset,
    fields: (parameters.get('fields') ?? '').split(',').filter(Boolean),
    sample: parameters.get('sample') ?? '1',
    timestamps: parameters.get('timestamps') ?? 'unixnano',
    filter,
  }
}

export const redacts = (options: string | null): boolean => new URLSearchParams(options ?? '').get(redaction) === 'true'

export function writeOptions({ fields, sample, timestamps }: Selection): string {
  const parts = [
    ...(fields.length > 0 ? [`fields=${fields.join(',')}`] : []),
    ...(Number(sample) === 1 ? [] : [`sample=${sample.trim()}`]),
    ...(timestamps === 'unixnano' ? [] : [`timestamps=${timestamps}`]),
  ]
  return parts.join('&')
}
