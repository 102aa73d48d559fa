/** How records are written down: format, compression, what stands around and between them, or a template of their own. */
import { Select, TextArea, TextField } from '../parts/field.tsx'
import { escaped, type OutputOptions, unescaped } from './output.ts'

type OutputFormProps = { readonly output: OutputOptions | null; onChange(output: OutputOptions | null): void }

const formats = [
  ['', 'JSON, one record a line, gzip (the usual)'],
  ['ndjson', 'JSON, written as said below'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const

const compressions = [
  ['', 'gzip'],
  ['zstd', 'zstd'],
  ['none', 'none'],
] as const

const framing = [
  ['batch_prefix', 'Before a file', 'nothing'],
  ['batch_suffix', 'After a file', 'nothing'],
  ['record_prefix', 'Before a record', 'JSON: { CSV: nothing'],
  ['record_suffix', 'After a record', String.raw`JSON: }\n CSV: \n`],
  ['record_delimiter', 'Between records', 'nothing'],
  ['field_delimiter', 'Between fields', ','],
] as const

export function OutputForm({ output, onChange }: OutputFormProps) {
  const format = output === null ? '' : String(output.output_type ?? 'ndjson')
  const set = (name: string, value: string | undefined) => {
    const { [name]: _, ...rest } = output ?? {}
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  const text = (name: string) => (typeof output?.[name] === 'string' ? output[name] : '')
  const choose = (next: string) => {
    if (next === '') return onChange(null)
    onChange(next === 'parquet' ? { output_type: next } : { ...output, output_type: next })
  }
  return (
    <>
      <div className="columns">
        <Select
          label="Format"
          value={format}
          onChange={choose}
          options={formats}
          {...(format === 'csv'
            ? { hint: 'Without a line of names: write one before a file if your reader wants it.' }
            : {})}
        />
        {output && format !== 'parquet' && (
          <Select
            label="Compression"
            value={text('compression') === 'gzip' ? '' : text('compression')}
            onChange={(compression) => set('compression', compression || undefined)}
            options={compressions}
          />
        )}
      </div>
      {output && format !== 'parquet' && (
        <details className="framing">
          <summary>What stands around records, and a template for them</summary>
          <div className="stack">
            <p className="hint">
              Empty: the usual of the format. Write a line break as <code>\n</code>, a tab as <code>\t</code>.
            </p>
            <div className="columns">
              {framing.map(([name, label, usual]) => (
                <TextField
                  key={name}
                  label={label}
                  value={escaped(text(name))}
                  placeholder={usual}
                  onChange={(said) => set(name, said === '' ? undefined : unescaped(said))}
                />
              ))}
            </div>
            <TextArea
              label="Template of a record"
              rows={3}
              value={text('record_template')}
              placeholder={'{"ray": {{.RayID}}, "status": {{.EdgeResponseStatus}}}'}
              onChange={(template) => set('record_template', template === '' ? undefined : template)}
              hint="Each {{.Field}} becomes the JSON value of a chosen field; other text is written as it stands."
            />
          </div>
        </details>
      )}
    </>
  )
}
