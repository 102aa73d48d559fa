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
  jobs: JobsTable
  windows: WindowsTable
  deliveries: DeliveriesTable
  activity: ActivityTable
  floors: FloorsTable
  service_facts: ServiceFactsTable
  rulesets: RulesetsTable
  ruleset_versions: RulesetVersionsTable
  ruleset_executions: RulesetExecutionsTable
  lists: ListsTable
  list_items: ListItemsTable
}

export type AccountsTable = { id: string; name: string; created_on: Moment }

export type ZonesTable = {
  id: string
  account_id: string
  name: string
  /** 0 when log fetch must not serve the zone's records. */
  log_retention: Generated<Flag>
  /** `open` or `closed`: what an edge is told when its request cannot be decided. */
  edge_failure: Generated<string>
  created_on: Moment
  modified_on: Moment
}

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

export type JobsTable = {
  id: Generated<number>
  account_id: string
  /** Null for a job of the account itself. */
  zone_id: string | null
  /** The zone's id, or the account's for a job of its own. */
  scope_id: string
  dataset: string
  name: string
  kind: string
  enabled: Flag
  /** The destination string, sealed. */
  conf_sealed: string
  destination_kind: string
  /** Unique over the service, and fit to be shown. */
  destination_identity: string
  /** JSON list of signing secrets, newest first, sealed; only for the kind that signs. */
  signing_sealed: string | null
  logfetch_options: string | null
  /** JSON */
  output_options: string | null
  filter: string
  frequency: string | null
  max_upload_bytes: number | null
  max_upload_records: number | null
  max_upload_interval_seconds: number | null
  /** Grows with every change of what is exported or how. */
  options_version: number
  last_complete: Moment | null
  last_error: Moment | null
  error_message: string | null
  created_on: Moment
  modified_on: Moment
  /** Records received from here on are still owed; null while the job is stopped by its owner. */
  owed_from: Moment | null
  /** When the job may be looked at again; null while it sleeps, because nothing it owes has come in. */
  next_turn: Moment | null
  lease_holder: string | null
  lease_until: Moment | null
  /** Grows with every lease and every change that must end a turn under way: the fence. */
  lease_number: number
  failures: number
  failing_since: Moment | null
}

/** A range of received time that a job exports. States: `waiting` (asked for), `begun`, `done`, `cancelled`, `lost`. */
export type WindowsTable = {
  id: Generated<number>
  job_id: number
  /** `export`, `backfill` or `repair`. */
  purpose: string
  state: string
  from_time: Moment
  to_time: Moment
  /** JSON: what the job exported and how when the window was begun. */
  options: string
  options_version: number
  rows: number | null
  attempts: number
  reason: string | null
  begun_at: Moment
  ended_at: Moment | null
}

/** One part of a window: one object, or one request. Outcomes: `pending`, `delivered`, `retry`, `refused`. */
export type DeliveriesTable = {
  id: Generated<number>
  job_id: number
  window_id: number
  part: number
  /** The identity of the place it went to; null for what was delivered before this was noted. */
  destination: string | null
  object_name: string
  rows: number
  raw_bytes: number
  bytes: number
  sha256: string
  attempts: number
  last_status: number | null
  outcome: string
  reason: string | null
  first_attempt: Moment | null
  last_attempt: Moment | null
}

/** The newest record received for a scope and dataset, as far as it was noted. */
export type ActivityTable = { scope_id: string; dataset: string; newest: Moment }

export type FloorsTable = { node: string; floor: Moment; until: Moment }

export type ServiceFactsTable = { name: string; value: string }
