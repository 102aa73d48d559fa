/** A rule as a form that the API judges while one types. */
import { type Dispatch, useEffect, useState } from 'react'
import { type ErrorItem, Refused } from '../../../src/contract/index.ts'
import { Button } from '../parts/button.tsx'
import { Check, Select, TextField } from '../parts/field.tsx'
import { ActionParameters } from './action-parameters.tsx'
import type { Change, RuleDraft } from './draft.ts'
import { ExpressionEditor } from './expression-editor.tsx'
import { errorsOfRule } from './fault.ts'
import type { Language } from './language.ts'
import { countsRequests, needsOf } from './needs.ts'
import { RateLimit } from './rate-limit.tsx'
import { Replay } from './replay.tsx'
import type { RuleBody } from './ruleset.ts'

export type RuleCheck = (rule: RuleBody, signal: AbortSignal) => Promise<void>

export type RuleFormProps = {
  readonly rule: RuleDraft
  readonly phase: string
  readonly actions: readonly string[]
  readonly language: Language | undefined
  readonly refusals: readonly ErrorItem[]
  readonly check: RuleCheck
  readonly dispatch: Dispatch<Change>
}

const none: readonly ErrorItem[] = []
const membersWithPlace = ['expression', 'action_parameters', 'ratelimit']

export function RuleForm({ rule, phase, actions, language, refusals, check, dispatch }: RuleFormProps) {
  const { said, key } = rule
  const errors = useJudgement(said, check) ?? refusals
  const set = (part: RuleBody) => dispatch({ kind: 'set', key, said: { ...said, ...part } })
  const under = (member: string) => errors.filter(({ source }) => source?.pointer.startsWith(`/${member}`))
  const others = errors.filter(
    ({ source }) => !membersWithPlace.some((member) => source?.pointer.startsWith(`/${member}`)),
  )
  const action = String(said.action)
  const act = (next: string) => {
    const { action_parameters: _parameters, ratelimit, ...rest } = said
    const needs = needsOf(next, phase, language)
    const kept = ratelimit !== undefined && needs.ratelimit !== undefined ? { ratelimit } : {}
    dispatch({ kind: 'set', key, said: { ...rest, action: next, ...needs, ...kept } })
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
          value={action}
          onChange={act}
          options={actions.map((one) => [one, one])}
          hint={language?.actions.find(({ name }) => name === action)?.says}
        />
      </div>
      <ExpressionEditor
        label="When"
        text={String(said.expression ?? '')}
        placeholder={'http.request.uri.path eq "/private"; write true for every request'}
        language={language}
        // Nobody is told that what they have not begun to write is wrong, before they deploy it.
        errors={said.expression === '' && refusals.length === 0 ? none : under('expression')}
        onChange={(expression) => set({ expression })}
      />
      {phase.startsWith('http_request') && <Replay expression={String(said.expression ?? '')} />}
      <ActionParameters
        key={action}
        action={action}
        phase={phase}
        value={said.action_parameters}
        errors={under('action_parameters')}
        language={language}
        onChange={(action_parameters) => set({ action_parameters })}
      />
      {countsRequests(phase, action) && (
        <RateLimit
          value={said.ratelimit}
          errors={under('ratelimit')}
          language={language}
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
