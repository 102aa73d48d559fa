/** JSON in a text area, with the API's reasons below it. */
import { useState } from 'react'
import type { ErrorItem } from '../../../src/contract/index.ts'
import { TextArea } from '../parts/field.tsx'

type JsonFieldProps = {
  readonly label: string
  readonly value: unknown
  readonly errors: readonly ErrorItem[]
  onChange(value: unknown): void
}

export function JsonField({ label, value, errors, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
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
  const said = errors.map(({ message, source }) => `${source?.pointer ?? ''}: ${message}`).join('\n')
  return (
    <TextArea
      label={label}
      rows={Math.min(14, text.split('\n').length + 1)}
      value={text}
      onChange={change}
      error={why ?? (said || undefined)}
    />
  )
}
