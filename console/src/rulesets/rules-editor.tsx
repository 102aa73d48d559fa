/** The rules of a ruleset as a draft: cards in order, and a bar that says what deploying would change. */
import { useCallback, useEffect, useMemo, useReducer, useState } from 'react'
import { catalogue, type ErrorItem, Refused } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { counted } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/notice.tsx'
import { Empty } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { differenceOf } from './difference.ts'
import { DifferenceView } from './difference-view.tsx'
import { changeDraft, emptyDraft, isChanged } from './draft.ts'
import { errorsOfRule } from './fault.ts'
import { RuleCard, type RuleCheck } from './rule-card.tsx'
import { type Address, bodyOf, openRuleset, type RulesetView, titleOf } from './ruleset.ts'

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
  const deploy = useAction(async () => {
    await ruleset.put(
      draft.rules.map(({ said }) => said),
      deployed?.version,
    )
    setReviewed(false)
    again()
  })
  const refusals = deploy.error instanceof Refused ? deploy.error.errors : none
  const isDirty = isChanged(draft.rules, deployed?.rules ?? [])

  // The browser drops the focus of what is moved in the page.
  useEffect(() => {
    if (draft.moved && draft.rules.length > 0) document.getElementById(`grip-${draft.moved}`)?.focus()
  }, [draft])
  const moved = draft.rules.findIndex(({ key }) => key === draft.moved)
  const movedRule = draft.rules[moved]

  return (
    <>
      <p className="visually-hidden" aria-live="assertive">
        {movedRule && `${titleOf(movedRule.said)} is now ${moved + 1} of ${draft.rules.length}`}
      </p>
      <Problem error={deploy.error} />
      {draft.rules.length === 0 && (
        <div className="card">
          <Empty title="No rules yet">
            <p>Rules run from top to bottom. Nothing is deployed before you say so.</p>
          </Empty>
        </div>
      )}
      <ol className="rules" aria-label="Rules">
        {draft.rules.map((rule, at) => (
          <RuleCard
            key={rule.key}
            rule={rule}
            at={at}
            of={draft.rules.length}
            phase={phase}
            actions={actions}
            language={language.value}
            isReadOnly={false}
            refusals={refusals.length === 0 ? none : errorsOfRule(refusals, at)}
            check={check}
            dispatch={dispatch}
          />
        ))}
      </ol>
      <div>
        <Button
          icon="plus"
          onClick={() =>
            dispatch({
              kind: 'add',
              said: { action: actions[0] ?? 'block', expression: '', description: '', enabled: true },
            })
          }
        >
          Add a rule
        </Button>
      </div>
      {isDirty && (
        <section className="deploy-bar" aria-label="Changes that are not deployed">
          <span>
            {counted(
              differenceOf(
                before,
                draft.rules.map(({ said }) => said),
              ).length,
              'change',
            )}
            , not deployed
          </span>
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
      {isReviewed && (
        <Dialog
          title={deployed ? `Deploy version ${Number(deployed.version) + 1}` : 'Deploy the first version'}
          onClose={() => setReviewed(false)}
        >
          <div className="difference-scroll">
            <DifferenceView
              changes={differenceOf(
                before,
                draft.rules.map(({ said }) => said),
              )}
            />
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
