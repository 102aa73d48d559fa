/**
 * The tables as the code sees them, in one spelling for both databases: text, whole numbers, flags as 0 or 1, JSON as
 * text, and moments as RFC 3339 text with nine decimals in UTC, which sorts by time and reads by eye.
 */
import type { Generated } from 'kysely'

/** `2026-11-15T02:33:59.123456789Z` */
export type Moment = string
export type Flag = 0 | 1

export type Tables = {
  accounts: AccountsTable
  zones: ZonesTable
  users: UsersTable
  members: MembersTable
  tokens: TokensTable
  audit_logs: AuditTable
}

export type AccountsTable = { id: string; name: string; created_on: Moment }

export type ZonesTable = { id: string; account_id: string; name: string; created_on: Moment; modified_on: Moment }

export type UsersTable = {
  id: string
  email: string
  key_hash: string
  is_super: Flag
  created_on: Moment
}

export type MembersTable = { id: string; account_id: string; user_id: string; role: string; created_on: Moment }

export type TokensTable = {
  id: string
  account_id: string
  /** Who made it: the user whose rate limit it shares and whose deletion ends it. */
  user_id: string
  name: string
  token_hash: string
  /** JSON: permission names. */
  permissions: string
  /** JSON: zone ids the token is limited to, or null for the whole account. */
  zones: string | null
  created_on: Moment
  expires_on: Moment | null
}

export type AuditTable = {
  /** Grows with every entry: the order within one moment, and the cursor. */
  number: Generated<number>
  id: string
  account_id: string | null
  zone_id: string | null
  zone_name: string | null
  actor_id: string
  actor_email: string
  actor_ip: string
  actor_type: string
  credential_type: string
  credential_id: string
  credential_name: string
  interface: string
  action_type: string
  resource_type: string
  resource_id: string
  old_value: string
  new_value: string
  /** JSON object */
  metadata: string
  happened_at: Moment
}
