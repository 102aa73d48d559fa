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
  rulesets: RulesetsTable
  ruleset_versions: RulesetVersionsTable
  ruleset_executions: RulesetExecutionsTable
  lists: ListsTable
  list_items: ListItemsTable
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

export type RulesetsTable = {
  id: string
  /** Null for a managed ruleset, which is the operator's. */
  account_id: string | null
  /** Null for rulesets of an account. */
  zone_id: string | null
  kind: string
  phase: string
  name: string
  current_version: number
  /** The highest number ever given: numbers are not reused after a version was deleted. */
  last_version: number
  created_on: Moment
}

/** Written once, never changed. */
export type RulesetVersionsTable = {
  ruleset_id: string
  version: number
  description: string
  /** JSON: the rules in order. */
  rules: string
  last_updated: Moment
}

export type RulesetExecutionsTable = { executor_id: string; executed_id: string }

export type ListsTable = {
  id: string
  account_id: string
  name: string
  kind: string
  description: string
  /** Grows with every change of the list or its items. */
  version: number
  created_on: Moment
  modified_on: Moment
}

export type ListItemsTable = {
  id: string
  list_id: string
  /** What makes the item unique in its list, in one spelling. */
  value: string
  /** JSON: the item as it is shown. */
  content: string
  comment: string
  created_on: Moment
  modified_on: Moment
}
