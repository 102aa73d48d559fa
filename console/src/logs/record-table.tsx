/** Records in rows; a row opens to the whole record. What a record says is only ever shown as text. */

import { Fragment, memo, useCallback, useMemo, useState } from 'react'
import { counted, when } from '../format.ts'
import { CopyButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { mostWhole, useLongList } from '../parts/long-list.ts'
import { Empty } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'
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
  const [search, setSearch] = useState('')
  const shown = useMemo(() => {
    const named = columns.length > 0 ? columns : Object.keys(records[0] ?? {})
    return [timeField, ...named.filter((name) => name !== timeField)].slice(0, mostColumns)
  }, [records, columns, timeField])
  const found = useMemo(
    () => records.map((record, at) => ({ record, at })).filter(({ record }) => isAbout(record, search)),
    [records, search],
  )
  const keys = useMemo(() => found.map(({ at }) => String(at)), [found])
  const { place, pieces } = useLongList<HTMLTableElement>({ keys, guessPx: 37 })
  const toggle = useCallback(
    (record: LogRecord) =>
      setOpen((before) => {
        const next = new Set(before)
        if (!next.delete(record)) next.add(record)
        return next
      }),
    [],
  )
  return (
    <>
      {records.length > mostWhole && (
        <div className="row spread">
          <SearchField label="Find in these records" value={search} onSearch={setSearch} />
          <span className="soft" aria-live="polite">
            {search !== '' && `${counted(found.length, 'record')} of ${records.length} found`}
          </span>
        </div>
      )}
      {found.length === 0 && <Empty title={`No record says “${search}”.`} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="table-wrap records" aria-label="Records" tabIndex={0}>
        <table ref={place} aria-rowcount={found.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th>
                <span className="visually-hidden">Open</span>
              </th>
              {shown.map((name) => (
                <th key={name}>
                  {name.split(/(?=[A-Z][a-z])/).map((word, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a word is its place.
                    <Fragment key={at}>
                      <wbr />
                      {word}
                    </Fragment>
                  ))}
                </th>
              ))}
            </tr>
          </thead>
          {pieces.map((piece) => {
            if (piece.kind === 'room')
              return <tbody key={`room ${piece.before}`} data-room aria-hidden="true" style={{ height: piece.px }} />
            const one = found[piece.at]
            return (
              one && (
                <RecordRow
                  key={one.at}
                  record={one.record}
                  at={one.at}
                  index={piece.at + 2}
                  shown={shown}
                  timeField={timeField}
                  isOpen={open.has(one.record)}
                  onToggle={toggle}
                />
              )
            )
          })}
        </table>
      </section>
    </>
  )
})

const isAbout = (record: LogRecord, search: string): boolean =>
  search === '' || JSON.stringify(record).toLowerCase().includes(search.toLowerCase())

type RecordRowProps = {
  readonly record: LogRecord
  readonly at: number
  /** Its place in the whole table, which counts the head. */
  readonly index: number
  readonly shown: readonly string[]
  readonly timeField: string
  readonly isOpen: boolean
  onToggle(record: LogRecord): void
}

const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { record, at, index, shown, timeField, isOpen, onToggle } = props
  return (
    <tbody data-row={at}>
      <tr aria-rowindex={index}>
        <td>
          <button
            type="button"
            className="opener"
            aria-expanded={isOpen}
            aria-label={`Record ${at + 1}`}
            onClick={() => onToggle(record)}
          >
            <Icon name="right" />
          </button>
        </td>
        {shown.map((name) => {
          const text = textOf(record[name])
          return (
            <td key={name} title={text}>
              {name === timeField ? momentOf(text) : text}
            </td>
          )
        })}
      </tr>
      {isOpen && (
        <tr className="opened">
          <td colSpan={shown.length + 1}>
            <WholeRecord record={record} />
          </td>
        </tr>
      )}
    </tbody>
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
