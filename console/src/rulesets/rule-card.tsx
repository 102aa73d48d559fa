/** One rule: closed it reads as a sentence, open it is a form. Its grip moves it, dragged or by the arrow keys. */
import { type Dispatch, memo, useState } from 'react'
import type { ErrorItem } from '../../../src/contract/index.ts'
import { Button } from '../parts/button.tsx'
import { Badge } from '../parts/page.tsx'
import type { Change, RuleDraft } from './draft.ts'
import { Highlighted } from './highlight.tsx'
import type { Language } from './language.ts'
import { type RuleCheck, RuleForm } from './rule-form.tsx'
import { actionTone, type RuleBody, titleOf } from './ruleset.ts'

type RuleCardProps = {
  readonly rule: RuleDraft
  readonly at: number
  readonly of: number
  readonly phase: string
  readonly actions: readonly string[]
  readonly language: Language | undefined
  readonly isOpen: boolean
  /** What the API said about this rule when all were sent. */
  readonly refusals: readonly ErrorItem[]
  readonly check: RuleCheck
  readonly dispatch: Dispatch<Change>
  onOpen(key: string, isOpen: boolean): void
  onDrag(key: string | undefined): void
}

export const RuleCard = memo(function RuleCard(props: RuleCardProps) {
  const { rule, at, of, isOpen, refusals, dispatch, onOpen, onDrag } = props
  const { said, key } = rule
  const [isTarget, setTarget] = useState(false)
  const title = titleOf(said)
  return (
    <li
      className={`rule${said.enabled === false ? ' off' : ''}${isTarget ? ' target' : ''}${refusals.length > 0 ? ' refused' : ''}`}
      data-row={key}
      aria-posinset={at + 1}
      aria-setsize={of}
      onDragOver={(event) => {
        event.preventDefault()
        setTarget(true)
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        event.preventDefault()
        setTarget(false)
        dispatch({ kind: 'move', key: event.dataTransfer.getData('text/plain'), to: at })
      }}
    >
      <div className="rule-head">
        <button
          type="button"
          className="grip"
          id={`grip-${key}`}
          draggable
          aria-label={`Move ${title}, ${at + 1} of ${of}: arrow keys, Home, End`}
          title="Drag, or use the arrow keys"
          onDragStart={(event) => {
            event.dataTransfer.setData('text/plain', key)
            onDrag(key)
          }}
          onDragEnd={() => onDrag(undefined)}
          onKeyDown={(event) => {
            const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: of - 1 }[event.key]
            if (to === undefined) return
            event.preventDefault()
            dispatch({ kind: 'move', key, to })
          }}
        >
          <span className="numeric">{at + 1}</span>
          <span aria-hidden="true">⠿</span>
        </button>
        <div className="rule-words">
          <div className="row">
            <strong>{title}</strong>
            <Badge tone={actionTone(String(said.action))}>{String(said.action)}</Badge>
            {said.enabled === false && <Badge>off</Badge>}
            {tagsOf(said).map((tag) => (
              <Badge key={tag} tone="accent">
                {tag}
              </Badge>
            ))}
            {refusals.length > 0 && <Badge tone="bad">refused</Badge>}
          </div>
          {!isOpen && said.expression !== undefined && (
            <code className="rule-expression">
              <Highlighted text={String(said.expression)} />
            </code>
          )}
        </div>
        <Button tone="quiet" onClick={() => onOpen(key, !isOpen)} label={`${isOpen ? 'Close' : 'Edit'} ${title}`}>
          {isOpen ? 'Close' : 'Edit'}
        </Button>
      </div>
      {isOpen && <RuleForm {...props} />}
    </li>
  )
})

const tagsOf = (said: RuleBody): readonly string[] =>
  Array.isArray(said.categories) ? said.categories.map(String) : []
