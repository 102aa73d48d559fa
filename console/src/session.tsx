/** Who is signed in, and where they stand. Credentials live in session storage: they end with the tab. */
import { createContext, useContext } from 'react'
import {
  access,
  type Client,
  type Credential,
  makeClient,
  type ResultOf,
  type ScopeRef,
} from '../../src/contract/index.ts'
import { pathTo } from './router.tsx'

export type Account = ResultOf<typeof access.listAccounts>[number]
export type Zone = ResultOf<typeof access.listZones>[number]
export type User = ResultOf<typeof access.viewUser>

const key = 'spillway.credential'

export function storedCredential(): Credential | undefined {
  const text = sessionStorage.getItem(key)
  return text === null ? undefined : (JSON.parse(text) as Credential)
}

export function storeCredential(credential: Credential | undefined): void {
  if (credential) sessionStorage.setItem(key, JSON.stringify(credential))
  else sessionStorage.removeItem(key)
}

export const clientFor = (credential: Credential): Client =>
  makeClient({ baseUrl: `${location.origin}/v4`, credential, interface: 'UI' })

/** What a signed-in person can see; learned at sign-in, and again when it was changed here. */
export type Estate = { readonly user: User; readonly accounts: readonly Account[]; readonly zones: readonly Zone[] }

export async function readEstate(client: Client): Promise<Estate> {
  const per_page = 50
  const [user, accounts, zones] = await Promise.all([
    client.call(access.viewUser, {}),
    Array.fromAsync(client.all(access.listAccounts, { query: { per_page } })),
    Array.fromAsync(client.all(access.listZones, { query: { per_page } })),
  ])
  return { user, accounts, zones }
}

/** The scope a page works in, as its address says it. */
export type Place = {
  readonly kind: 'zone' | 'account'
  readonly id: string
  readonly name: string
  readonly account: { readonly id: string; readonly name: string }
}

export function placeOf(
  { accounts, zones }: Estate,
  word: string | undefined,
  id: string | undefined,
): Place | undefined {
  const zone = word === 'zones' ? zones.find((one) => one.id === id) : undefined
  if (zone) return { kind: 'zone', id: zone.id, name: zone.name, account: zone.account }
  const account = word === 'accounts' ? accounts.find((one) => one.id === id) : undefined
  return account && { kind: 'account', id: account.id, name: account.name, account }
}

export type Session = Estate & {
  readonly client: Client
  readonly place: Place
  readonly scope: ScopeRef
  /** The path of a page in this place. */
  at(...segments: readonly string[]): string
  /** Looks again which accounts and zones there are. */
  refresh(): void
  signOut(): void
}

export const scopeOf = (place: Place): ScopeRef => (place.kind === 'zone' ? { zone: place.id } : { account: place.id })
export const pathIn = (place: Pick<Place, 'kind' | 'id'>, ...segments: readonly string[]): string =>
  pathTo(place.kind === 'zone' ? 'zones' : 'accounts', place.id, ...segments)

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('this part of the console is for people who are signed in')
  return session
}
