/** A text that is either written out or computed from the request by an expression. */
import type { ErrorItem } from '../../../src/contract/index.ts'
import { Choice } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ExpressionEditor } from './expression-editor.tsx'
import type { Language } from './language.ts'
import { type Members, textOf } from './members.ts'

type ValueSourceProps = {
  readonly label: string
  readonly source: Members
  /** Those below the source. */
  readonly errors: readonly ErrorItem[]
  readonly language: Language | undefined
  readonly placeholder: string
  onChange(source: Members): void
}

export function ValueSource({ label, source, errors, language, placeholder, onChange }: ValueSourceProps) {
  const isComputed = source.expression !== undefined
  const { value: _value, expression: _expression, ...rest } = source
  return (
    <div className="value-source">
      <Choice
        label={`${label}: how it is made`}
        value={isComputed ? 'expression' : 'value'}
        onChange={(way: 'value' | 'expression') => onChange({ ...rest, [way]: '' })}
        options={[
          ['value', 'Fixed'],
          ['expression', 'Computed'],
        ]}
      />
      {isComputed ? (
        <ExpressionEditor
          label={label}
          text={textOf(source.expression)}
          language={language}
          errors={errors.filter(({ source: place }) => place?.pointer.endsWith('/expression'))}
          onChange={(expression) => onChange({ ...rest, expression })}
        />
      ) : (
        <TextField
          label={label}
          value={textOf(source.value)}
          onChange={(value) => onChange({ ...rest, value })}
          placeholder={placeholder}
        />
      )}
    </div>
  )
}

/** The errors whose pointer lies below a member. */
export const errorsBelow = (errors: readonly ErrorItem[], pointer: string): readonly ErrorItem[] =>
  errors.filter(({ source }) => source?.pointer.startsWith(`${pointer}/`))
