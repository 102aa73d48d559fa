/** What may be done, and which roles may do it. A permission always holds in one account or in some of its zones. */
import type { Permission, Scope } from '../base/index.ts'

export type Role = keyof typeof roles

/** What each role of a member may do in its account. */
export const roles = {
  administrator: [
    'account:admin',
    'logs:read',
    'logs:edit',
    'logs:ingest',
    'rulesets:read',
    'rulesets:edit',
    'edge:decide',
  ],
  'log share': ['logs:read', 'logs:edit'],
  'log share reader': ['logs:read'],
  'rulesets editor': ['rulesets:read', 'rulesets:edit'],
  'read only': ['logs:read', 'rulesets:read'],
} as const satisfies Record<string, readonly Permission[]>

/** Permissions in one account: in all of it, or only in the zones named. */
export type Grant = {
  readonly account: string
  readonly zones: readonly string[] | null
  readonly permissions: readonly Permission[]
}

export type Holder = { readonly isSuper: boolean; readonly grants: readonly Grant[] }

const covers = (grant: Grant, scope: Scope): boolean =>
  grant.account === scope.account && (grant.zones === null || (scope.kind === 'zone' && grant.zones.includes(scope.id)))

export const may = (holder: Holder, permission: Permission, scope: Scope): boolean =>
  holder.isSuper || holder.grants.some((grant) => covers(grant, scope) && implied(grant.permissions).has(permission))

/** What a holder cannot see answers as if it did not exist. */
export const sees = (holder: Holder, scope: Scope): boolean =>
  holder.isSuper || holder.grants.some((grant) => covers(grant, scope))

/** Who may change a thing may read it. */
const implied = (permissions: readonly Permission[]): ReadonlySet<Permission> => {
  const all = new Set(permissions)
  if (all.has('logs:edit')) all.add('logs:read')
  if (all.has('rulesets:edit')) all.add('rulesets:read')
  return all
}
