/** API tokens: made with chosen permissions, shown once, ended at will. */
import { useState } from 'react'
import { access, type BodyOf, type ResultOf } from '../../../src/contract/index.ts'
import { useAnswer } from '../asking.ts'
import { when } from '../format.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { Check, TextField } from '../parts/field.tsx'
import { Badge } from '../parts/page.tsx'
import { useSession } from '../session.tsx'
import { Roster } from './roster.tsx'

type Token = ResultOf<typeof access.listTokens>[number]
export type Permission = BodyOf<typeof access.createToken>['permissions'][number]

const permissions: readonly (readonly [Permission, string])[] = [
  ['logs:read', 'See jobs, query records'],
  ['logs:edit', 'Make, change and delete jobs; see their destinations'],
  ['logs:ingest', 'Send records in'],
  ['rulesets:read', 'See rulesets and trace requests'],
  ['rulesets:edit', 'Deploy and delete rulesets'],
  ['edge:decide', 'Ask for decisions, as an edge does'],
  ['account:admin', 'Manage members, tokens and the audit log'],
]

type TokensProps = {
  readonly title: string
  readonly says?: string
  readonly empty: string
  readonly addVerb: string
  /** What a new token may do, before anyone chose. */
  readonly usual: readonly Permission[]
  isShown?(token: Token): boolean
}

export function Tokens({ isShown = () => true, usual, ...words }: TokensProps) {
  const { client, place, zones } = useSession()
  const scope = { account: place.account.id }
  const tokens = useAnswer((signal) => client.call(access.listTokens, { scope, signal }), [scope])
  const zoneName = (id: string) => zones.find((zone) => zone.id === id)?.name ?? id
  return (
    <Roster
      {...words}
      what="tokens"
      answer={{ ...tokens, value: tokens.value?.filter(isShown) }}
      heads={['Name', 'May', 'Where', 'Ends']}
      endVerb="Revoke"
      secret={{
        title: 'Your new token',
        says: 'Copy it now: it is shown this once, and only its fingerprint is kept.',
      }}
      row={(token) => (
        <>
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
        </>
      )}
      ending={({ id, name }) => ({
        title: `Revoke ${name}?`,
        word: name,
        says: 'Whatever uses it is refused from then on.',
        act: () => client.call(access.revokeToken, { scope, params: { token_id: id } }),
      })}
      form={(onClose, onMade) => <NewToken usual={usual} onClose={onClose} onMade={onMade} />}
    />
  )
}

type NewTokenProps = { readonly usual: readonly Permission[]; onClose(): void; onMade(value: string | undefined): void }

function NewToken({ usual, onClose, onMade }: NewTokenProps) {
  const { client, place } = useSession()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(usual)
  const [onlyHere, setOnlyHere] = useState(place.kind === 'zone')
  const [expires, setExpires] = useState('')
  const make = async () => {
    const made = await client.call(access.createToken, {
      scope: { account: place.account.id },
      body: {
        name,
        permissions: [...chosen],
        ...(onlyHere ? { zones: [place.id] } : {}),
        ...(expires === '' ? {} : { expires_on: new Date(expires).toISOString() }),
      },
    })
    onMade(made.value)
  }
  const toggle = (one: Permission, isOn: boolean) =>
    setChosen(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))
  return (
    <FormDialog title="New API token" verb="Create" isReady={chosen.length > 0} act={make} onClose={onClose}>
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
      {place.kind === 'zone' && <Check label={`Only in ${place.name}`} checked={onlyHere} onChange={setOnlyHere} />}
      <TextField label="Ends (optional)" type="datetime-local" step="1" value={expires} onChange={setExpires} />
    </FormDialog>
  )
}
