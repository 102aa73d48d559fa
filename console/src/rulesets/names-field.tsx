/** Names between commas. What is typed stays as it is while one types; the names in it are handed on. */
import { useState } from 'react'
import { TextField } from '../parts/field.tsx'
import { wordsIn } from './members.ts'

type NamesFieldProps = {
  readonly label: string
  readonly names: readonly string[]
  readonly hint?: string
  onChange(names: readonly string[]): void
}

export function NamesField({ label, names, hint, onChange }: NamesFieldProps) {
  const [text, setText] = useState(() => names.join(', '))
  return (
    <TextField
      label={label}
      value={text}
      {...(hint === undefined ? {} : { hint })}
      onChange={(next) => {
        setText(next)
        onChange(wordsIn(next))
      }}
    />
  )
}
