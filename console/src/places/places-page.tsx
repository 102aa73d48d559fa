/** Accounts and their zones: made, renamed, deleted. */
import { useState } from 'react'
import { access } from '../../../src/contract/index.ts'
import { counted, when } from '../format.ts'
import { Button, CopyButton } from '../parts/button.tsx'
import { Confirm, FormDialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Card, Empty, Page } from '../parts/page.tsx'
import { Link } from '../router.tsx'
import { type Account, pathIn, useSession, type Zone } from '../session.tsx'

/** What is being made or unmade. */
type Asked =
  | { readonly kind: 'new account' }
  | { readonly kind: 'new zone' | 'rename' | 'delete account'; readonly account: Account }
  | { readonly kind: 'delete zone'; readonly zone: Zone }

export function PlacesPage() {
  const { accounts, zones, user } = useSession()
  const [asked, setAsked] = useState<Asked>()
  return (
    <Page
      title="Accounts & zones"
      says="An account has members, tokens and lists; each of its zones has jobs and rules of its own."
      actions={
        user.super_administrator && (
          <Button icon="plus" tone="main" onClick={() => setAsked({ kind: 'new account' })}>
            New account
          </Button>
        )
      }
    >
      {accounts.map((account) => (
        <AccountCard
          key={account.id}
          account={account}
          zones={zones.filter((zone) => zone.account.id === account.id)}
          onAsk={setAsked}
        />
      ))}
      {asked && <AskedDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </Page>
  )
}

type AccountCardProps = { readonly account: Account; readonly zones: readonly Zone[]; onAsk(asked: Asked): void }

function AccountCard({ account, zones, onAsk }: AccountCardProps) {
  const { user } = useSession()
  return (
    <Card
      title={account.name}
      aside={
        <span className="row">
          <Button tone="quiet" onClick={() => onAsk({ kind: 'rename', account })}>
            Rename
          </Button>
          {user.super_administrator && zones.length === 0 && (
            <Button tone="quiet" onClick={() => onAsk({ kind: 'delete account', account })}>
              Delete
            </Button>
          )}
          <Button icon="plus" onClick={() => onAsk({ kind: 'new zone', account })}>
            New zone
          </Button>
        </span>
      }
    >
      <div className="row">
        <span className="soft">{counted(zones.length, 'zone')} · id</span>
        <code>{account.id}</code>
        <CopyButton text={account.id} label="Copy" />
      </div>
      {zones.length === 0 && <Empty title="No zones yet" />}
      {zones.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <section className="wide" aria-label={`Zones of ${account.name}`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>Zone</th>
                <th>Id</th>
                <th>Since</th>
                <th>
                  <span className="visually-hidden">Delete</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {zones.map((zone) => (
                <tr key={zone.id}>
                  <td className="break">
                    <Link to={pathIn({ kind: 'zone', id: zone.id }, 'jobs')}>{zone.name}</Link>
                  </td>
                  <td className="mono">{zone.id}</td>
                  <td className="nowrap numeric">{when(zone.created_on)}</td>
                  <td>
                    <Button tone="quiet" onClick={() => onAsk({ kind: 'delete zone', zone })}>
                      Delete
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  )
}

function AskedDialog({ asked, onClose }: { readonly asked: Asked; onClose(): void }) {
  const { client, refresh } = useSession()
  const [name, setName] = useState(asked.kind === 'rename' ? asked.account.name : '')
  const done = async (work: Promise<unknown>) => {
    await work
    refresh()
    onClose()
  }
  const nameField = (label: string, placeholder: string) => (
    <TextField label={label} value={name} onChange={setName} placeholder={placeholder} required />
  )
  switch (asked.kind) {
    case 'new account':
      return (
        <FormDialog
          title="New account"
          verb="Create"
          onClose={onClose}
          act={() => done(client.call(access.createAccount, { body: { name } }))}
        >
          {nameField('Name', 'Example Ltd.')}
        </FormDialog>
      )
    case 'rename':
      return (
        <FormDialog
          title={`Rename ${asked.account.name}`}
          verb="Rename"
          onClose={onClose}
          act={() => done(client.call(access.updateAccount, { scope: { account: asked.account.id }, body: { name } }))}
        >
          {nameField('Name', asked.account.name)}
        </FormDialog>
      )
    case 'new zone':
      return (
        <FormDialog
          title={`New zone of ${asked.account.name}`}
          verb="Create"
          onClose={onClose}
          act={() =>
            done(client.call(access.createZone, { body: { name: name.trim(), account: { id: asked.account.id } } }))
          }
        >
          {nameField('Domain name', 'shop.example.com')}
        </FormDialog>
      )
    case 'delete zone':
      return (
        <Confirm
          title={`Delete ${asked.zone.name}?`}
          word={asked.zone.name}
          verb="Delete the zone"
          onClose={onClose}
          act={() => done(client.call(access.deleteZone, { scope: { zone: asked.zone.id } }))}
        >
          <p>Its export jobs and rulesets go with it, with all their versions. Objects that were delivered stay.</p>
        </Confirm>
      )
    case 'delete account':
      return (
        <Confirm
          title={`Delete ${asked.account.name}?`}
          word={asked.account.name}
          verb="Delete the account"
          onClose={onClose}
          act={() => done(client.call(access.deleteAccount, { scope: { account: asked.account.id } }))}
        >
          <p>Its members, tokens, lists and rulesets go with it.</p>
        </Confirm>
      )
  }
}
