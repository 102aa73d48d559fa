/** API tokens: made with chosen permissions, shown once, ended at will. */
import { useState } from 'react'
import { access, type BodyOf, type ResultOf } from '../../../src/contract/index.ts'
import { useAction, useAnswer } from '../asking.ts'
import { when } from '../format.ts'
import { Button } from '../parts/button.tsx'
import { Confirm, Dialog, ShownOnce } from '../parts/dialog.tsx'
import { Check, TextField } from '../parts/field.tsx'
import { Problem } from '../parts/notice.tsx'
import { Badge, Card, Loading } from '../parts/page.tsx'
import { useSession } from '../session.tsx'

type Token = ResultOf<typeof access.listTokens>[number]
type Permission = BodyOf<typeof access.createToken>['permissions'][number]

const permissions: readonly (readonly [Permission, string])[] = [
  ['logs:read', 'See jobs, query records'],
  ['logs:edit', 'Make, change and delete jobs; see their destinations'],
  ['logs:ingest', 'Send records in'],
  ['rulesets:read', 'See rulesets and trace requests'],
  ['rulesets:edit', 'Deploy and delete rulesets'],
  ['edge:decide', 'Ask for decisions, as an edge does'],
  ['account:admin', 'Manage members, tokens and the audit log'],
]

export function Tokens() {
  const { client, place, zones } = useSession()
  const scope = { account: place.account.id }
  const tokens = useAnswer((signal) => client.call(access.listTokens, { scope, signal }), [scope])
  const [isMaking, setMaking] = useState(false)
  const [ending, setEnding] = useState<Token>()
  const [secret, setSecret] = useState<string>()
  const zoneName = (id: string) => zones.find((zone) => zone.id === id)?.name ?? id
  return (
    <Card
      title="API tokens"
      aside={
        <Button icon="plus" onClick={() => setMaking(true)}>
          New token
        </Button>
      }
    >
      <Problem error={tokens.error} onRetry={tokens.again} />
      {!tokens.value && !tokens.error && <Loading what="tokens" />}
      {tokens.value?.length === 0 && <p className="soft">No tokens yet.</p>}
      {tokens.value && tokens.value.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th>May</th>
              <th>Where</th>
              <th>Ends</th>
              <th>
                <span className="visually-hidden">End it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.value.map((token) => (
              <tr key={token.id}>
                <td className="break">
                  <strong>{token.name}</strong> {token.status !== 'active' && <Badge tone="warn">{token.status}</Badge>}
                </td>
                <td>
                  <span className="row">
                    {token.permissions.map((one) => (
                      <Badge key={one}>{one}</Badge>
                    ))}
                  </span>
                </td>
                <td className="break">{token.zones ? token.zones.map(zoneName).join(', ') : 'whole account'}</td>
                <td className="nowrap numeric">{token.expires_on ? when(token.expires_on) : 'never'}</td>
                <td>
                  <Button tone="quiet" onClick={() => setEnding(token)}>
                    Revoke
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isMaking && (
        <NewToken
          onClose={() => setMaking(false)}
          onMade={(value) => {
            setMaking(false)
            setSecret(value)
            tokens.again()
          }}
        />
      )}
      {ending && (
        <Confirm
          title={`Revoke ${ending.name}?`}
          word={ending.name}
          verb="Revoke the token"
          onClose={() => setEnding(undefined)}
          act={async () => {
            await client.call(access.revokeToken, { scope, params: { token_id: ending.id } })
            setEnding(undefined)
            tokens.again()
          }}
        >
          <p>Whatever uses it is refused from then on.</p>
        </Confirm>
      )}
      {secret && (
        <ShownOnce
          title="Your new token"
          secret={secret}
          says="Copy it now: it is shown this once, and only its fingerprint is kept."
          onClose={() => setSecret(undefined)}
        />
      )}
    </Card>
  )
}

function NewToken({ onClose, onMade }: { onClose(): void; onMade(value: string): void }) {
  const { client, place, zones } = useSession()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Permission[]>(['logs:read'])
  const [onlyHere, setOnlyHere] = useState(place.kind === 'zone')
  const [expires, setExpires] = useState('')
  const make = useAction(async () => {
    const made = await client.call(access.createToken, {
      scope: { account: place.account.id },
      body: {
        name,
        permissions: [...chosen],
        ...(onlyHere ? { zones: [place.id] } : {}),
        ...(expires === '' ? {} : { expires_on: new Date(expires).toISOString() }),
      },
    })
    onMade(made.value ?? '')
  })
  const toggle = (one: Permission, isOn: boolean) =>
    setChosen(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))
  return (
    <Dialog title="New API token" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void make.run()
        }}
      >
        <TextField label="Name" value={name} onChange={setName} placeholder="edge-ingest" required />
        <fieldset className="prose">
          <legend className="label">It may</legend>
          {permissions.map(([one, words]) => (
            <Check
              key={one}
              label={
                <>
                  <code>{one}</code> <span className="soft">{words}</span>
                </>
              }
              checked={chosen.includes(one)}
              onChange={(isOn) => toggle(one, isOn)}
            />
          ))}
        </fieldset>
        {place.kind === 'zone' && zones.length > 0 && (
          <Check label={`Only in ${place.name}`} checked={onlyHere} onChange={setOnlyHere} />
        )}
        <TextField label="Ends (optional)" type="datetime-local" step="1" value={expires} onChange={setExpires} />
        <Problem error={make.error} />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" isBusy={make.isRunning} disabled={chosen.length === 0}>
            Create
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
