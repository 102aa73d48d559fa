/** Every version of a ruleset, what it changed, and the way back to it. */
import { useState } from 'react'
import { useAction, useAnswer } from '../asking.ts'
import { ago, when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Card, Loading } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { differenceOf } from './difference.ts'
import { DifferenceView } from './difference-view.tsx'
import { type Address, openRuleset, type RulesetView, withKnownIds } from './ruleset.ts'

type VersionsTabProps = {
  readonly address: Address
  readonly deployed: RulesetView
  readonly isReadOnly: boolean
  onRolledBack(): void
}

export function VersionsTab({ address, deployed, isReadOnly, onRolledBack }: VersionsTabProps) {
  const { client, scope } = useSession()
  const ruleset = openRuleset(client, scope, address)
  const versions = useAnswer((signal) => ruleset.versions(signal), [scope, address, deployed.version])
  const newestFirst = (versions.value ?? []).toSorted((a, b) => Number(b.version) - Number(a.version))
  const [picked, setPicked] = useState<string>()
  const shown = picked ?? newestFirst.find(({ version }) => version !== deployed.version)?.version
  return (
    <div className="versions">
      <Problem error={versions.error} onRetry={versions.again} />
      <ol className="version-list" aria-label="Versions">
        {newestFirst.map(({ version, last_updated: at }) => (
          <li key={version}>
            <button type="button" aria-pressed={version === shown} onClick={() => setPicked(version)}>
              <strong>Version {version}</strong>
              {version === deployed.version && <Badge tone="good">deployed</Badge>}
              <span className="soft" title={when(at)}>
                {ago(at)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {shown !== undefined && (
        <OneVersion
          key={shown}
          address={address}
          version={shown}
          deployed={deployed}
          isReadOnly={isReadOnly}
          onRolledBack={onRolledBack}
        />
      )}
    </div>
  )
}

function OneVersion({
  address,
  version,
  deployed,
  isReadOnly,
  onRolledBack,
}: VersionsTabProps & { readonly version: string }) {
  const { client, scope } = useSession()
  const ruleset = openRuleset(client, scope, address)
  const old = useAnswer((signal) => ruleset.version(version, signal), [scope, address, version])
  const rollBack = useAction(async () => {
    if (!old.value) return
    await ruleset.put(withKnownIds(old.value.rules, deployed.rules), deployed.version)
    onRolledBack()
  })
  const isDeployed = version === deployed.version
  return (
    <Card
      title={isDeployed ? `Version ${version} is deployed` : `What going back to version ${version} would change`}
      aside={
        !isDeployed &&
        !isReadOnly && (
          <Button tone="main" isBusy={rollBack.isRunning} disabled={!old.value} onClick={() => void rollBack.run()}>
            Roll back to version {version}
          </Button>
        )
      }
    >
      <Problem error={old.error ?? rollBack.error} />
      {!old.value && !old.error && <Loading what={`version ${version}`} />}
      {old.value && !isDeployed && <DifferenceView changes={differenceOf(deployed.rules, old.value.rules)} />}
      {isDeployed && <p className="soft">Choose an older version to compare it with this one.</p>}
      {!isDeployed && !isReadOnly && (
        <p className="hint">
          Rolling back deploys these rules as version {Number(deployed.version) + 1}; no version is lost.
        </p>
      )}
    </Card>
  )
}
