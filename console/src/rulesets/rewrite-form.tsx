/** What a rewrite changes: path and query in the phases for addresses, headers in all others. */
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Check, Select, TextField } from '../parts/field.tsx'
import type { ParameterFormProps } from './action-parameters.tsx'
import { type Members, membersOf, withMember } from './members.ts'
import { rewritesAddress } from './needs.ts'
import { errorsBelow, ValueSource } from './value-source.tsx'

export function RewriteForm(props: ParameterFormProps) {
  return rewritesAddress(props.phase) ? <AddressForm {...props} /> : <HeadersForm {...props} />
}

function AddressForm({ value, errors, language, onChange }: ParameterFormProps) {
  const uri = membersOf(value.uri)
  const set = (name: string, next: unknown) => onChange({ ...value, uri: withMember(uri, name, next) })
  return (
    <>
      {(['path', 'query'] as const).map((part) => (
        <div key={part} className="stack">
          <Check
            label={`Rewrite the ${part}`}
            checked={uri[part] !== undefined}
            onChange={(isOn) => set(part, isOn ? { value: part === 'path' ? '/' : '' } : undefined)}
          />
          {uri[part] !== undefined && (
            <ValueSource
              label={`New ${part}`}
              source={membersOf(uri[part])}
              errors={errorsBelow(errors, `/uri/${part}`)}
              language={language}
              placeholder={part === 'path' ? '/new' : 'a=1&b=2; empty for none'}
              onChange={(source) => set(part, source)}
            />
          )}
        </div>
      ))}
    </>
  )
}

type HeaderRow = { readonly key: number; readonly name: string; readonly change: Members }

const operations = [
  ['set', 'Set, in the place of any other'],
  ['add', 'Add, beside any other'],
  ['remove', 'Remove'],
] as const

/** Rows of its own, because two headers may have the same name for as long as one is typed. */
function HeadersForm({ value, errors, language, onChange }: ParameterFormProps) {
  const [rows, setRows] = useState<readonly HeaderRow[]>(() =>
    Object.entries(membersOf(value.headers)).map(([name, change], key) => ({ key, name, change: membersOf(change) })),
  )
  const change = (next: readonly HeaderRow[]) => {
    setRows(next)
    onChange({ ...value, headers: Object.fromEntries(next.map(({ name, change: said }) => [name, said])) })
  }
  const set = (key: number, part: Partial<HeaderRow>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  const operate = (row: HeaderRow, operation: string) =>
    set(row.key, {
      change: operation === 'remove' ? { operation } : { value: '', ...row.change, operation },
    })
  const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
  return (
    <>
      {rows.map((row) => (
        <div key={row.key} className="header-change">
          <div className="columns">
            <TextField
              label="Header"
              value={row.name}
              onChange={(name) => set(row.key, { name })}
              placeholder="X-Source"
            />
            <Select
              label="What to do"
              value={String(row.change.operation)}
              onChange={(operation) => operate(row, operation)}
              options={operations}
            />
          </div>
          {row.change.operation !== 'remove' && (
            <ValueSource
              label="Value"
              source={row.change}
              errors={errorsBelow(errors, `/headers/${row.name}`)}
              language={language}
              placeholder="edge"
              onChange={(next) => set(row.key, { change: next })}
            />
          )}
          <div>
            <Button tone="quiet" icon="close" onClick={() => change(rows.filter((one) => one.key !== row.key))}>
              Leave {row.name || 'this header'} alone
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() => change([...rows, { key, name: '', change: { operation: 'set', value: '' } }])}
        >
          Header
        </Button>
      </div>
    </>
  )
}
