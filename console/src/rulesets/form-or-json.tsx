/** A part of a rule that is written in a form or as JSON, with the API's reasons below it. */
import { type ReactNode, useState } from 'react'
import type { ErrorItem } from '../../../src/contract/index.ts'
import { Choice } from '../parts/button.tsx'
import { JsonField } from './json-field.tsx'

type FormOrJsonProps = {
  readonly legend: string
  /** The member of the rule that is written here. */
  readonly member: string
  readonly value: unknown
  readonly errors: readonly ErrorItem[]
  onChange(value: unknown): void
  /** Absent where there is only JSON. It is given the errors with pointers below the member. */
  readonly form?: ((errors: readonly ErrorItem[]) => ReactNode) | undefined
  /** Whether the form itself shows an error. */
  isShown(error: ErrorItem): boolean
}

export function FormOrJson({ legend, member, value, errors, onChange, form, isShown }: FormOrJsonProps) {
  const [way, setWay] = useState<'form' | 'json'>('form')
  const isForm = form !== undefined && way === 'form'
  const below = errors.map((error) => ({
    ...error,
    source: { pointer: (error.source?.pointer ?? '').replace(`/${member}`, '') },
  }))
  return (
    <fieldset className="parameters">
      <legend className="label">{legend}</legend>
      {form && (
        <Choice
          label={`${legend}: how to write it`}
          value={way}
          onChange={(next: 'form' | 'json') => setWay(next)}
          options={[
            ['form', 'Form'],
            ['json', 'JSON'],
          ]}
        />
      )}
      {isForm ? form(below) : <JsonField label={`${legend} as JSON`} value={value} onChange={onChange} />}
      {below
        .filter((error) => !(isForm && isShown(error)))
        .map(({ message, source }) => (
          <p key={`${source.pointer} ${message}`} className="error">
            {source.pointer && `${source.pointer}: `}
            {message}
          </p>
        ))}
    </fieldset>
  )
}
