/** Buttons, and the small parts that are made of one. */
import { type ReactNode, useState } from 'react'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = {
  readonly children?: ReactNode
  readonly tone?: 'plain' | 'main' | 'danger' | 'quiet'
  readonly icon?: IconName
  /** Needed when there is only an icon. */
  readonly label?: string
  readonly type?: 'button' | 'submit'
  readonly isBusy?: boolean
  readonly disabled?: boolean
  readonly isPressed?: boolean
  readonly onClick?: () => void
}

export function Button({ tone = 'plain', type = 'button', children, icon, label, isBusy, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={`button ${tone}${children ? '' : ' bare'}`}
      aria-label={label}
      title={label}
      aria-busy={isBusy || undefined}
      aria-pressed={rest.isPressed}
      disabled={rest.disabled || isBusy}
      onClick={rest.onClick}
    >
      {isBusy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1500)
  }
  return (
    <Button tone="quiet" icon="copy" onClick={() => void copy()}>
      {isDone ? 'Copied' : label}
    </Button>
  )
}

type ChoiceProps<T extends string> = {
  readonly label: string
  readonly options: readonly (readonly [value: T, words: string])[]
  readonly value: T
  onChange(value: T): void
}

/** A few alternatives side by side. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="choice">
      <legend className="visually-hidden">{label}</legend>
      {options.map(([option, words]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {words}
        </button>
      ))}
    </fieldset>
  )
}
