/** One ruleset, by its id or as the entry point of a phase: its rules in order, a draft of them, and its versions. */
import { useState } from 'react'
import { catalogue } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { ago, counted } from '../format.ts'
import { Choice } from '../parts/button.tsx'
import { codesOf, Problem } from '../parts/notice.tsx'
import { Badge, Loading, Page } from '../parts/page.tsx'
import { Link } from '../router.tsx'
import { useSession } from '../session.tsx'
import { ManagedRules } from './managed-rules.tsx'
import { RulesEditor } from './rules-editor.tsx'
import { type Address, openRuleset, type RulesetView } from './ruleset.ts'
import { VersionsTab } from './versions-tab.tsx'

const noEntryPoint = 10003

export function RulesetPage({ address }: { readonly address: Address }) {
  const { client, scope, at } = useSession()
  const ruleset = useAnswer(
    async (signal) => {
      try {
        return { deployed: await openRuleset(client, scope, address).view(signal) }
      } catch (error) {
        if (codesOf(error).includes(noEntryPoint)) return { deployed: undefined }
        throw error
      }
    },
    [scope, address],
  )
  const phases = useAnswer((signal) => client.call(catalogue.listPhases, { scope, signal }), [scope])
  const phaseName = 'phase' in address ? address.phase : ruleset.value?.deployed?.phase
  const phase = phases.value?.find(({ name }) => name === phaseName)
  const error = ruleset.error ?? phases.error
  if (error || !ruleset.value || !phases.value)
    return (
      <Page title="Ruleset">
        {error ? <Problem error={error} onRetry={ruleset.again} /> : <Loading what="the ruleset" />}
        <Link to={at('rulesets')}>All rulesets</Link>
      </Page>
    )
  const { deployed } = ruleset.value
  const kind = deployed?.kind ?? ('zone' in scope ? 'zone' : 'root')
  return (
    <KnownRuleset
      address={address}
      deployed={deployed}
      phase={phaseName ?? ''}
      title={titleOfPage(address, deployed, phase?.title)}
      says={deployed?.description || phase?.says || ''}
      actions={phase?.actions[kind] ?? []}
      isReadOnly={deployed?.kind === 'managed'}
      again={ruleset.again}
    />
  )
}

const titleOfPage = (address: Address, deployed: RulesetView | undefined, phase: string | undefined): string =>
  'phase' in address || deployed?.kind === 'zone' || deployed?.kind === 'root'
    ? (phase ?? 'Entry point')
    : (deployed?.name ?? 'Ruleset')

type KnownRulesetProps = {
  readonly address: Address
  readonly deployed: RulesetView | undefined
  readonly phase: string
  readonly title: string
  readonly says: string
  readonly actions: readonly string[]
  readonly isReadOnly: boolean
  again(): void
}

function KnownRuleset(props: KnownRulesetProps) {
  const { address, deployed, phase, title, says, isReadOnly, again } = props
  const [tab, setTab] = useState<'rules' | 'versions'>('rules')
  return (
    <Page
      title={title}
      heading={
        <>
          {title} {deployed && <Badge>{deployed.kind}</Badge>}
        </>
      }
      says={
        <>
          {says} <code>{phase}</code>
          {deployed &&
            ` · version ${deployed.version}, ${counted(deployed.rules.length, 'rule')}, changed ${ago(deployed.last_updated)}`}
        </>
      }
      actions={
        deployed && (
          <Choice
            label="What to look at"
            value={tab}
            onChange={(next: 'rules' | 'versions') => setTab(next)}
            options={[
              ['rules', 'Rules'],
              ['versions', 'Versions'],
            ]}
          />
        )
      }
    >
      {tab === 'versions' && deployed && (
        <VersionsTab
          address={address}
          deployed={deployed}
          isReadOnly={isReadOnly}
          onRolledBack={() => {
            setTab('rules')
            again()
          }}
        />
      )}
      {tab === 'rules' && isReadOnly && deployed && <ManagedRules ruleset={deployed} />}
      {tab === 'rules' && !isReadOnly && <RulesEditor {...props} key={deployed?.version ?? 'none'} />}
    </Page>
  )
}
