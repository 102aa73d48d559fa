/**
 * Output options as a form speaks of them: the format, its compression, and what stands around records. Fields,
 * sampling and timestamps are in the selection; the redaction option is never written.
 */
import type { Selection } from './selection.ts'

export type OutputOptions = Readonly<Record<string, unknown>>

const ofSelection = ['field_names', 'sample_rate', 'timestamp_format', 'CVE-2021-44228', 'merge_subrequests']

/** Without what the selection says, and without what says nothing. */
export const readOutput = (options: OutputOptions | null): OutputOptions | null =>
  options &&
  Object.fromEntries(Object.entries(options).filter(([name, value]) => !ofSelection.includes(name) && value !== null))

export const writeOutput = (
  output: OutputOptions,
  { fields, sample, timestamps }: Pick<Selection, 'fields' | 'sample' | 'timestamps'>,
): OutputOptions => ({
  ...output,
  ...(fields.length > 0 ? { field_names: fields } : {}),
  ...(Number(sample) === 1 ? {} : { sample_rate: Number(sample) }),
  timestamp_format: timestamps,
})

/** Line breaks and tabs in one line, as people write them. */
export const escaped = (text: string): string =>
  text.replaceAll(/[\\\n\r\t]/g, (mark) => `\\${{ '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't' }[mark]}`)

export const unescaped = (text: string): string =>
  text.replaceAll(/\\([\\nrt])/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? '\\')
