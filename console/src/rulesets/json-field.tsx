/** JSON in a text area; only what is JSON is handed on. */
import { useState } from 'react'
import { TextArea } from '../parts/field.tsx'

type JsonFieldProps = { readonly label: string; readonly value: unknown; onChange(value: unknown): void }

export function JsonField({ label, value, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2))
  const [why, setWhy] = useState<string>()
  const change = (next: string) => {
    setText(next)
    try {
      onChange(JSON.parse(next))
      setWhy(undefined)
    } catch (error) {
      setWhy(`Not JSON yet: ${(error as Error).message}`)
    }
  }
  return (
    <TextArea
      label={label}
      rows={Math.min(14, text.split('\n').length + 1)}
      value={text}
      onChange={change}
      error={why}
    />
  )
}
