/** The rules of a ruleset as a draft, and a bar that says what deploying would change. */
import { useCallback, useMemo, useReducer, useState } from 'react'
import { catalogue, type ErrorItem, Refused } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { counted } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/notice.tsx'
import { useSession } from '../session.tsx'
import { differenceOf } from './difference.ts'
import { DifferenceView } from './difference-view.tsx'
import { changeDraft, emptyDraft, isChanged } from './draft.ts'
import { needsOf } from './needs.ts'
import type { RuleCheck } from './rule-form.tsx'
import { RuleList } from './rule-list.tsx'
import { type Address, bodyOf, openRuleset, type RulesetView } from './ruleset.ts'

type RulesEditorProps = {
  readonly address: Address
  readonly deployed: RulesetView | undefined
  readonly phase: string
  readonly actions: readonly string[]
  again(): void
}

const none: readonly ErrorItem[] = []

export function RulesEditor({ address, deployed, phase, actions, again }: RulesEditorProps) {
  const { client, scope } = useSession()
  const before = useMemo(() => (deployed?.rules ?? []).map(bodyOf), [deployed])
  const [draft, dispatch] = useReducer(changeDraft, emptyDraft, (empty) =>
    changeDraft(empty, { kind: 'load', rules: before }),
  )
  const [isReviewed, setReviewed] = useState(false)
  const language = useAnswer(
    (signal) => client.call(catalogue.viewLanguage, { scope, query: { phase }, signal }),
    [scope, phase],
  )
  const ruleset = useMemo(() => openRuleset(client, scope, address), [client, scope, address])
  const check: RuleCheck = useCallback((rule, signal) => ruleset.check(rule, signal), [ruleset])
  const after = useMemo(() => draft.rules.map(({ said }) => said), [draft.rules])
  const deploy = useAction(async () => {
    await ruleset.put(after, deployed?.version)
    setReviewed(false)
    again()
  })
  const changes = useMemo(
    () => (isChanged(draft.rules, deployed?.rules ?? []) ? differenceOf(before, after) : undefined),
    [draft.rules, deployed, before, after],
  )
  const add = () => {
    const action = actions[0] ?? 'block'
    const needs = needsOf(action, phase, language.value)
    dispatch({ kind: 'add', said: { action, expression: '', description: '', enabled: true, ...needs } })
  }

  return (
    <>
      <Problem error={deploy.error} />
      <Problem error={language.error} onRetry={language.again} />
      <RuleList
        draft={draft}
        phase={phase}
        actions={actions}
        language={language.value}
        refusals={deploy.error instanceof Refused ? deploy.error.errors : none}
        check={check}
        dispatch={dispatch}
      />
      <div>
        <Button icon="plus" onClick={add}>
          Add a rule
        </Button>
      </div>
      {changes && (
        <section className="deploy-bar" aria-label="Changes that are not deployed">
          <span>{counted(changes.length, 'change')}, not deployed</span>
          <div className="row">
            <Button tone="quiet" onClick={() => dispatch({ kind: 'load', rules: before })}>
              Discard
            </Button>
            <Button tone="main" onClick={() => setReviewed(true)}>
              Review and deploy…
            </Button>
          </div>
        </section>
      )}
      {isReviewed && changes && (
        <Dialog
          title={deployed ? `Deploy version ${Number(deployed.version) + 1}` : 'Deploy the first version'}
          onClose={() => setReviewed(false)}
        >
          <div className="difference-scroll">
            <DifferenceView changes={changes} />
          </div>
          <Problem error={deploy.error} />
          <footer>
            <Button onClick={() => setReviewed(false)}>Cancel</Button>
            <Button tone="main" isBusy={deploy.isRunning} onClick={() => void deploy.run()}>
              Deploy
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  )
}
