/** Where a thing lives: in an account, or in one zone of an account. Every id is 32 lower-case hex digits. */
import { randomUUID } from 'node:crypto'

export type ScopeKind = 'account' | 'zone'

export type Scope = {
  readonly kind: ScopeKind
  /** The account's or the zone's own id. */
  readonly id: string
  /** The account that owns it; for an account, itself. */
  readonly account: string
}

export const newId = (): string => randomUUID().replaceAll('-', '')

export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/** `zones/<id>` or `accounts/<id>`: the scope as it stands in a path, a log line or a message. */
export const scopePath = (scope: Pick<Scope, 'kind' | 'id'>): string => `${scope.kind}s/${scope.id}`
