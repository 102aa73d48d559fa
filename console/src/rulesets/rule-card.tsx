/** One rule: closed it reads as a sentence, open it is a form that the API judges while one types. */
import { type Dispatch, memo, useEffect, useState } from 'react'
import { type ErrorItem, Refused } from '../../../src/contract/index.ts'
import { Button } from '../parts/button.tsx'
import { Check, Select, TextField } from '../parts/field.tsx'
import { Badge } from '../parts/page.tsx'
import type { Change, RuleDraft } from './draft.ts'
import { ExecuteParameters } from './execute-parameters.tsx'
import { ExpressionEditor, type Language } from './expression-editor.tsx'
import { errorsOfRule } from './fault.ts'
import { Highlighted } from './highlight.tsx'
import { JsonField } from './json-field.tsx'
import { Replay } from './replay.tsx'
import { actionTone, type RuleBody, titleOf } from './ruleset.ts'

export type RuleCheck = (rule: RuleBody, signal: AbortSignal) => Promise<void>

type RuleCardProps = {
  readonly rule: RuleDraft
  readonly at: number
  readonly of: number
  readonly phase: string
  readonly actions: readonly string[]
  readonly language: Language | undefined
  readonly isReadOnly: boolean
  /** What the API said about this rule when all were sent. */
  readonly refusals: readonly ErrorItem[]
  readonly check: RuleCheck
  readonly dispatch: Dispatch<Change>
}

export const RuleCard = memo(function RuleCard(props: RuleCardProps) {
  const { rule, at, of, isReadOnly, refusals, dispatch } = props
  const { said, key } = rule
  const [isOpen, setOpen] = useState(key.startsWith('new-'))
  const [isTarget, setTarget] = useState(false)
  const move = (to: number) => dispatch({ kind: 'move', key, to })
  const title = titleOf(said)
  return (
    <li
      className={`rule${said.enabled === false ? ' off' : ''}${isTarget ? ' target' : ''}${refusals.length > 0 ? ' refused' : ''}`}
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
        {isReadOnly ? (
          <span className="rule-place numeric">{at + 1}</span>
        ) : (
          <button
            type="button"
            className="grip"
            id={`grip-${key}`}
            draggable
            aria-label={`Move ${title}, ${at + 1} of ${of}: arrow keys, Home, End`}
            title="Drag, or use the arrow keys"
            onDragStart={(event) => event.dataTransfer.setData('text/plain', key)}
            onKeyDown={(event) => {
              const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: of - 1 }[event.key]
              if (to === undefined) return
              event.preventDefault()
              move(to)
            }}
          >
            <span className="numeric">{at + 1}</span>
            <span aria-hidden="true">⠿</span>
          </button>
        )}
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
        {!isReadOnly && (
          <Button tone="quiet" onClick={() => setOpen(!isOpen)} label={`${isOpen ? 'Close' : 'Edit'} ${title}`}>
            {isOpen ? 'Close' : 'Edit'}
          </Button>
        )}
      </div>
      {isOpen && <RuleForm {...props} />}
    </li>
  )
})

const tagsOf = (said: RuleBody): readonly string[] =>
  Array.isArray(said.categories) ? said.categories.map(String) : []

function RuleForm({ rule, phase, actions, language, refusals, check, dispatch }: RuleCardProps) {
  const { said, key } = rule
  const errors = useJudgement(said, check) ?? refusals
  const set = (part: RuleBody) => dispatch({ kind: 'set', key, said: { ...said, ...part } })
  const under = (member: string) => errors.filter(({ source }) => source?.pointer.startsWith(`/${member}`))
  const others = errors.filter(
    ({ source }) =>
      !['expression', 'action_parameters', 'ratelimit'].some((member) => source?.pointer.startsWith(`/${member}`)),
  )
  const act = (action: string) => {
    const { action_parameters: _, ...rest } = said
    const example = action === 'execute' ? {} : language?.actions.find(({ name }) => name === action)?.example
    const isNeeded = example !== undefined && (action === 'execute' || Object.keys(example).length > 0)
    dispatch({ kind: 'set', key, said: { ...rest, action, ...(isNeeded ? { action_parameters: example } : {}) } })
  }
  return (
    <div className="rule-form">
      <div className="columns">
        <TextField
          label="Description"
          value={String(said.description ?? '')}
          onChange={(description) => set({ description })}
        />
        <Select
          label="Action"
          value={String(said.action)}
          onChange={act}
          options={actions.map((action) => [action, action])}
          hint={language?.actions.find(({ name }) => name === said.action)?.says}
        />
      </div>
      <ExpressionEditor
        label="When"
        text={String(said.expression ?? '')}
        language={language}
        errors={under('expression')}
        onChange={(expression) => set({ expression })}
      />
      {phase.startsWith('http_request') && <Replay expression={String(said.expression ?? '')} />}
      {said.action === 'execute' ? (
        <ExecuteParameters
          phase={phase}
          value={said.action_parameters}
          errors={under('action_parameters')}
          onChange={(action_parameters) => set({ action_parameters })}
        />
      ) : (
        said.action_parameters !== undefined && (
          <JsonField
            label="Parameters of the action"
            value={said.action_parameters}
            errors={under('action_parameters')}
            onChange={(action_parameters) => set({ action_parameters })}
          />
        )
      )}
      {phase === 'http_ratelimit' && (
        <JsonField
          label="Rate limit"
          value={said.ratelimit ?? {}}
          errors={under('ratelimit')}
          onChange={(ratelimit) => set({ ratelimit })}
        />
      )}
      {others.map(({ message }) => (
        <p key={message} className="error">
          {message}
        </p>
      ))}
      <div className="row spread">
        <Check label="Enabled" checked={said.enabled !== false} onChange={(enabled) => set({ enabled })} />
        <Button tone="danger" onClick={() => dispatch({ kind: 'remove', key })}>
          Remove the rule
        </Button>
      </div>
    </div>
  )
}

/** The API's reasons against the rule as it stands; undefined until it has spoken, and none while it thinks again. */
function useJudgement(said: RuleBody, check: RuleCheck): readonly ErrorItem[] | undefined {
  const [judged, setJudged] = useState<{ readonly text: string; readonly errors: readonly ErrorItem[] }>()
  const text = JSON.stringify(said)
  useEffect(() => {
    const gone = new AbortController()
    const timer = setTimeout(async () => {
      try {
        await check(JSON.parse(text) as RuleBody, gone.signal)
        setJudged({ text, errors: [] })
      } catch (error) {
        // Anything but a refusal says nothing about the rule.
        if (error instanceof Refused) setJudged({ text, errors: errorsOfRule(error.errors, 0) })
      }
    }, 300)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [text, check])
  if (judged === undefined) return undefined
  return judged.text === text ? judged.errors : []
}
