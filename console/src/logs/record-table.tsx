/** Records in rows; a row opens to the whole record. What a record says is only ever shown as text. */
import { Fragment, memo, useState } from 'react'
import { when } from '../format.ts'
import { CopyButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import type { LogRecord } from './fetch-records.ts'

type RecordTableProps = {
  readonly records: readonly LogRecord[]
  /** Empty: those of the first record. */
  readonly columns: readonly string[]
  readonly timeField: string
}

const mostColumns = 8

export const RecordTable = memo(function RecordTable({ records, columns, timeField }: RecordTableProps) {
  const [open, setOpen] = useState<ReadonlySet<LogRecord>>(new Set())
  const named = columns.length > 0 ? columns : Object.keys(records[0] ?? {})
  const shown = [timeField, ...named.filter((name) => name !== timeField)].slice(0, mostColumns)
  const toggle = (at: LogRecord) => {
    const next = new Set(open)
    if (!next.delete(at)) next.add(at)
    setOpen(next)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-wrap records" aria-label="Records" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Open</span>
            </th>
            {shown.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: records have no name of their own.
            <Fragment key={at}>
              <tr>
                <td>
                  <button
                    type="button"
                    className="opener"
                    aria-expanded={open.has(record)}
                    aria-label={`Record ${at + 1}`}
                    onClick={() => toggle(record)}
                  >
                    <Icon name="right" />
                  </button>
                </td>
                {shown.map((name) => (
                  <td key={name} title={textOf(record[name])}>
                    {name === timeField ? momentOf(textOf(record[name])) : textOf(record[name])}
                  </td>
                ))}
              </tr>
              {open.has(record) && (
                <tr className="opened">
                  <td colSpan={shown.length + 1}>
                    <WholeRecord record={record} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
})

function WholeRecord({ record }: { readonly record: LogRecord }) {
  return (
    <div className="whole-record">
      <dl>
        {Object.entries(record).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{textOf(value)}</dd>
          </div>
        ))}
      </dl>
      <CopyButton text={JSON.stringify(record, null, 2)} label="Copy as JSON" />
    </div>
  )
}

/** Nanoseconds and RFC 3339 alike. */
const momentOf = (text: string): string =>
  /^\d{19}$/.test(text) ? when(new Date(Number(text.slice(0, 13))).toISOString()) : when(text)

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
