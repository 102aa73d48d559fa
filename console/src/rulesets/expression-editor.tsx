/** An editor for expressions: colours, completion of fields and functions, and carets under what the API refuses. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { ErrorItem } from '../../../src/contract/index.ts'
import { Button } from '../parts/button.tsx'
import { type Candidate, candidatesAt } from './completion.ts'
import { readFault } from './fault.ts'
import { Highlighted } from './highlight.tsx'
import type { Language } from './language.ts'

type ExpressionEditorProps = {
  readonly label: string
  readonly text: string
  readonly placeholder?: string
  readonly language: Language | undefined
  readonly errors: readonly ErrorItem[]
  onChange(text: string): void
}

export function ExpressionEditor({ label, text, placeholder, language, errors, onChange }: ExpressionEditorProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState<number>()
  const [chosen, setChosen] = useState(0)
  const faults = useMemo(() => errors.map((error) => readFault(error, text)), [errors, text])
  const offered = useMemo(
    () => (caret === undefined ? [] : candidatesAt(text, caret, language)),
    [text, caret, language],
  )
  const current = offered[Math.min(chosen, offered.length - 1)]

  const take = ({ insert, from, to }: Candidate) => {
    onChange(text.slice(0, from) + insert + text.slice(to))
    setCaret(undefined)
    const at = from + insert.length
    requestAnimationFrame(() => area.current?.setSelectionRange(at, at))
    area.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === ' ' && event.ctrlKey) setCaret(area.current?.selectionStart)
    else if (!current) return
    else if (event.key === 'ArrowDown') setChosen((chosen + 1) % offered.length)
    else if (event.key === 'ArrowUp') setChosen((chosen + offered.length - 1) % offered.length)
    else if (event.key === 'Enter' || event.key === 'Tab') take(current)
    else if (event.key === 'Escape') setCaret(undefined)
    else return
    event.preventDefault()
  }

  return (
    <div className="field expression">
      <label htmlFor={id}>{label}</label>
      <div className="editor">
        <pre aria-hidden="true">
          <Highlighted text={text} fault={faults[0]?.span} />
          {'\n'}
        </pre>
        <textarea
          id={id}
          ref={area}
          value={text}
          placeholder={placeholder}
          spellCheck={false}
          autoCapitalize="off"
          aria-autocomplete="list"
          aria-controls={current ? `${id}-offers` : undefined}
          aria-activedescendant={current ? `${id}-offer-${offered.indexOf(current)}` : undefined}
          aria-describedby={`${id}-faults`}
          aria-invalid={faults.length > 0 || undefined}
          onChange={(event) => {
            onChange(event.target.value)
            setCaret(event.target.selectionStart)
            setChosen(0)
          }}
          onKeyDown={press}
          onBlur={() => setCaret(undefined)}
        />
      </div>
      <div className="offers-place">
        {offered.length > 0 && (
          <div className="offers" id={`${id}-offers`} role="listbox" aria-label="Completions">
            {offered.map((one, at) => (
              <div
                key={one.name}
                id={`${id}-offer-${at}`}
                role="option"
                tabIndex={-1}
                aria-selected={one === current}
                onMouseDown={(event) => {
                  event.preventDefault()
                  take(one)
                }}
              >
                <code className={`token-${one.kind}`}>{one.shown}</code>
                <span>{one.says}</span>
              </div>
            ))}
          </div>
        )}
      </div>
      <div id={`${id}-faults`} aria-live="polite">
        {faults.map((fault) => (
          <div key={fault.message} className="fault">
            {fault.picture && <pre>{fault.picture}</pre>}
            <p>
              {fault.message}
              {fault.suggestion !== undefined && fault.span && (
                <>
                  {' '}
                  <Button
                    onClick={() =>
                      onChange(
                        text.slice(0, fault.span?.from) + fault.suggestion + text.slice(fault.span?.to ?? text.length),
                      )
                    }
                  >
                    Use {fault.suggestion}
                  </Button>
                </>
              )}
            </p>
          </div>
        ))}
      </div>
    </div>
  )
}
