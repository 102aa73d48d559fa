/** Phases in the order a request passes them, with what is deployed in each; then the rulesets that can be executed. */
import { useState } from 'react'
import { catalogue, rulesets } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { ago } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Loading, Page } from '../parts/page.tsx'
import { go, Link } from '../router.tsx'
import { useSession } from '../session.tsx'

const stages = [
  ['network', 'Packets, before any request'],
  ['request', 'Requests, on their way in'],
  ['response', 'Responses, on their way out'],
] as const

export function RulesetsPage() {
  const { client, scope, at, place } = useSession()
  const [isMaking, setMaking] = useState(false)
  const answer = useAnswer(
    async (signal) => {
      const [phases, all] = await Promise.all([
        client.call(catalogue.listPhases, { scope, signal }),
        client.call(rulesets.listRulesets, { scope, signal }),
      ])
      return { phases, all }
    },
    [scope],
  )
  const { phases = [], all = [] } = answer.value ?? {}
  const entryPoints = new Map(
    all.filter(({ kind }) => kind === 'zone' || kind === 'root').map((one) => [one.phase, one]),
  )
  const others = all.filter(({ kind }) => kind === 'managed' || kind === 'custom')
  return (
    <Page
      title="Rulesets"
      says={`What happens to requests of ${place.name}: phases run from top to bottom, and so do the rules in each.`}
      actions={
        place.kind === 'account' && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            New custom ruleset
          </Button>
        )
      }
    >
      <Problem error={answer.error} onRetry={answer.again} />
      {!answer.value && !answer.error && <Loading what="rulesets" />}
      {answer.value &&
        stages.map(([stage, words]) => {
          const members = phases.filter((phase) => phase.stage === stage)
          return (
            members.length > 0 && (
              <section key={stage} className="stage" aria-label={words}>
                <h2>{words}</h2>
                <ol className="phases">
                  {members.map(({ name, title, says }) => {
                    const entry = entryPoints.get(name)
                    return (
                      <li key={name} className={entry ? 'deployed' : undefined}>
                        <Link to={at('rulesets', 'phases', name)}>{title}</Link>
                        <code className="soft">{name}</code>
                        <p>{says}</p>
                        {entry ? (
                          <Badge tone="good">
                            version {entry.version} · {ago(entry.last_updated)}
                          </Badge>
                        ) : (
                          <Badge>nothing deployed</Badge>
                        )}
                      </li>
                    )
                  })}
                </ol>
              </section>
            )
          )
        })}
      {others.length > 0 && (
        <section className="stage" aria-label="Rulesets to execute">
          <h2>Rulesets that rules can execute</h2>
          <ol className="phases">
            {others.map(({ id, name, kind, description, phase, version }) => (
              <li key={id} className="deployed">
                <Link to={at('rulesets', id)}>{name}</Link>
                <code className="soft">{phase}</code>
                <p>{description}</p>
                <span className="row">
                  <Badge tone="accent">{kind}</Badge>
                  <Badge>version {version}</Badge>
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
      {isMaking && (
        <NewRuleset
          phases={phases.filter(({ actions }) => actions.custom).map(({ name, title }) => [name, title] as const)}
          onClose={() => setMaking(false)}
        />
      )}
    </Page>
  )
}

type NewRulesetProps = { readonly phases: readonly (readonly [name: string, title: string])[]; onClose(): void }

function NewRuleset({ phases, onClose }: NewRulesetProps) {
  const { client, scope, at } = useSession()
  const [name, setName] = useState('')
  const [phase, setPhase] = useState(phases[0]?.[0] ?? '')
  const make = async () => {
    const body = { name, kind: 'custom', phase, rules: [] }
    const made = await client.call(rulesets.createRuleset, { scope, body })
    if (made) go(at('rulesets', made.id))
  }
  return (
    <FormDialog title="New custom ruleset" verb="Create" act={make} onClose={onClose}>
      <TextField label="Name" value={name} onChange={setName} required hint="It cannot be changed later." />
      <Select label="Phase" value={phase} onChange={setPhase} options={phases} />
    </FormDialog>
  )
}
