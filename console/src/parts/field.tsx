/** Form fields: a label, a control, a hint, and an error tied to the control. */
import { type ReactNode, useId } from 'react'

type Wrapping = { readonly label: string; readonly hint?: ReactNode; readonly error?: string | undefined }
type Ids = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

function useWrapping({ label, hint, error }: Wrapping, control: (ids: Ids) => ReactNode) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {control({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = Wrapping & {
  readonly value: string
  onChange(value: string): void
  readonly type?: 'text' | 'password' | 'email' | 'number' | 'datetime-local' | 'search'
  readonly placeholder?: string
  readonly required?: boolean
  readonly autoComplete?: string
  readonly step?: string
}

export function TextField({ label, hint, error, value, onChange, type = 'text', ...rest }: TextFieldProps) {
  return useWrapping({ label, hint, error }, (ids) => (
    <input
      {...ids}
      {...rest}
      type={type}
      value={value}
      spellCheck={false}
      autoComplete={rest.autoComplete ?? 'off'}
      onChange={(event) => onChange(event.target.value)}
    />
  ))
}

type AreaProps = Wrapping & {
  readonly value: string
  onChange(value: string): void
  readonly rows?: number
  readonly placeholder?: string
}

export function TextArea({ label, hint, error, value, onChange, rows = 4, placeholder }: AreaProps) {
  return useWrapping({ label, hint, error }, (ids) => (
    <textarea
      {...ids}
      rows={rows}
      value={value}
      placeholder={placeholder}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  ))
}

type SelectProps = Wrapping & {
  readonly value: string
  onChange(value: string): void
  readonly options: readonly (readonly [value: string, words: string])[]
}

export function Select({ label, hint, error, value, onChange, options }: SelectProps) {
  return useWrapping({ label, hint, error }, (ids) => (
    <select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
  ))
}

type CheckProps = { readonly label: ReactNode; readonly checked: boolean; onChange(checked: boolean): void }

export function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  )
}
