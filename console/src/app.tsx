/** The console: signed out or in, and which page an address means. */
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import type { Credential } from '../../src/contract/index.ts'
import { useAnswer } from './asking.ts'
import { AuditPage } from './audit/audit-page.tsx'
import { EdgePage } from './edge/edge-page.tsx'
import { JobPage } from './jobs/job-page.tsx'
import { JobsPage } from './jobs/jobs-page.tsx'
import { NewJobPage } from './jobs/new-job-page.tsx'
import { ListPage } from './lists/list-page.tsx'
import { ListsPage } from './lists/lists-page.tsx'
import { LogsPage } from './logs/logs-page.tsx'
import { isSignedOut, Problem } from './parts/notice.tsx'
import { Empty, Loading, Page } from './parts/page.tsx'
import { PeoplePage } from './people/people-page.tsx'
import { FirstAccount } from './places/first-account.tsx'
import { PlacesPage } from './places/places-page.tsx'
import { go, Link, useSegments } from './router.tsx'
import { RulesetPage } from './rulesets/ruleset-page.tsx'
import { RulesetsPage } from './rulesets/rulesets-page.tsx'
import { TracePage } from './rulesets/trace-page.tsx'
import {
  clientFor,
  type Estate,
  pathIn,
  placeOf,
  readEstate,
  type Session,
  SessionContext,
  scopeOf,
  storeCredential,
  storedCredential,
} from './session.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { SystemPage } from './system/system-page.tsx'

export function App() {
  const [credential, setCredential] = useState<Credential | undefined>(storedCredential)
  const [reason, setReason] = useState<string>()
  const change = useCallback((next: Credential | undefined, why?: string) => {
    storeCredential(next)
    setCredential(next)
    setReason(why)
  }, [])
  if (!credential) return <SignIn onSignIn={change} reason={reason} />
  return (
    <SignedIn key={JSON.stringify(credential)} credential={credential} onSignOut={(why) => change(undefined, why)} />
  )
}

type SignedInProps = { readonly credential: Credential; onSignOut(why?: string): void }

function SignedIn({ credential, onSignOut }: SignedInProps) {
  const client = useMemo(() => clientFor(credential), [credential])
  const estate = useAnswer(() => readEstate(client), [])
  useEffect(() => {
    if (isSignedOut(estate.error)) onSignOut('These credentials are no longer good.')
  }, [estate.error, onSignOut])
  if (estate.error)
    return (
      <div className="sign-in">
        <Problem error={estate.error} onRetry={estate.again} />
      </div>
    )
  if (!estate.value) return <Loading what="your accounts and zones" />
  return <Placed client={client} estate={estate.value} onRefresh={estate.again} onSignOut={() => onSignOut()} />
}

type PlacedProps = {
  readonly client: Session['client']
  readonly estate: Estate
  onRefresh(): void
  onSignOut(): void
}

/** Finds the zone or account of the address, or goes to the first there is. */
function Placed({ client, estate, onRefresh, onSignOut }: PlacedProps) {
  const [word, id, ...rest] = useSegments()
  const place = placeOf(estate, word, id)
  const first = estate.zones[0] ?? estate.accounts[0]
  useEffect(() => {
    if (word === undefined && first)
      go(pathIn({ kind: estate.zones[0] ? 'zone' : 'account', id: first.id }, 'jobs'), 'replace')
  }, [word, first, estate])

  if (!first && estate.user.super_administrator) return <FirstAccount client={client} onMade={onRefresh} />
  if (!first)
    return (
      <main className="main">
        <Empty title="You are signed in, but no account is yours to see.">
          <p>Ask an administrator to make you a member of an account, then load this page again.</p>
        </Empty>
      </main>
    )
  if (word === undefined) return <Loading what="the console" />
  const shown = place ?? placeOf(estate, estate.zones[0] ? 'zones' : 'accounts', first.id)
  if (!shown) return null
  const session: Session = {
    ...estate,
    client,
    place: shown,
    scope: scopeOf(shown),
    at: (...segments) => pathIn(shown, ...segments),
    refresh: onRefresh,
    signOut: onSignOut,
  }
  return (
    <SessionContext value={session}>
      <Shell page={rest[0] ?? ''}>
        <div className="inner" key={`${shown.kind} ${shown.id}`}>
          {place ? pageOf(rest) : <NotFound />}
        </div>
      </Shell>
    </SessionContext>
  )
}

function pageOf([page, what, more]: readonly string[]): ReactNode {
  switch (page) {
    case 'jobs':
      if (what === undefined) return <JobsPage />
      return what === 'new' ? <NewJobPage /> : <JobPage key={what} id={Number(what)} />
    case 'logs':
      return <LogsPage />
    case 'rulesets':
      if (what === undefined) return <RulesetsPage />
      if (what === 'phases' && more) return <RulesetPage key={more} address={{ phase: more }} />
      return <RulesetPage key={what} address={{ id: what }} />
    case 'lists':
      return what === undefined ? <ListsPage /> : <ListPage key={what} id={what} />
    case 'edge':
      return <EdgePage />
    case 'trace':
      return <TracePage />
    case 'audit':
      return <AuditPage />
    case 'people':
      return <PeoplePage />
    case 'places':
      return <PlacesPage />
    case 'system':
      return <SystemPage />
    default:
      return <NotFound />
  }
}

function NotFound() {
  return (
    <Page title="Nothing here">
      <Empty title="This address leads nowhere.">
        <p>
          It may be mistyped, or belong to a zone that you cannot see.{' '}
          <Link to="/console">Start from the beginning</Link>
        </p>
      </Empty>
    </Page>
  )
}
