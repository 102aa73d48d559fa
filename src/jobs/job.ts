/** An export job: what it is as a row, what callers see of it, and what the room needs to work on it. */
import { randomBytes } from 'node:crypto'
import { type Caller, may } from '../access/index.ts'
import { type Clock, type Scope, showMoment, type Vault } from '../base/index.ts'
import type { DatasetRegistry } from '../datasets/index.ts'
import type { Db, JobsTable } from '../db/index.ts'
import { judgeDestination, type Outside } from '../destinations/index.ts'

export type JobNeeds = {
  readonly db: Db
  readonly now: Clock
  readonly vault: Vault
  readonly datasets: DatasetRegistry
  /** The guarded world, for something whose requests may take so long, and that may be called off. */
  readonly outside: (withinMs: number, signal?: AbortSignal) => Outside
  /** `always`: every kind needs a challenge. `storage`: only kinds whose string carries no credential of its own. */
  readonly ownership: Ownership
  /** Most jobs per dataset and scope; 0 sets no limit. */
  readonly maxJobs: number
}

export type Ownership = 'always' | 'storage'

export type JobRow = Omit<JobsTable, 'id'> & { id: number }

export type Job = ReturnType<typeof view>

/** Only who may edit a job sees the secrets in its destination. */
export function view({ vault }: Pick<JobNeeds, 'vault'>, caller: Caller, row: JobRow) {
  const conf = vault.open(row.conf_sealed)
  const shown = (moment: string | null) => (moment === null ? null : showMoment(moment))
  return {
    id: row.id,
    dataset: row.dataset,
    name: row.name,
    enabled: row.enabled === 1,
    kind: row.kind,
    destination_conf: may(caller, 'logs:edit', scopeOf(row)) ? conf : maskedConf(conf),
    logfetch_options: row.logfetch_options,
    output_options: row.output_options === null ? null : (JSON.parse(row.output_options) as Record<string, unknown>),
    filter: row.filter,
    frequency: row.frequency ?? 'high',
    max_upload_bytes: row.max_upload_bytes,
    max_upload_records: row.max_upload_records,
    max_upload_interval_seconds: row.max_upload_interval_seconds,
    last_complete: shown(row.last_complete),
    last_error: shown(row.last_error),
    error_message: row.error_message,
  }
}

export const maskedConf = (conf: string): string => {
  const destination = judgeDestination(conf)
  return destination.ok ? destination.value.masked : '****'
}

/** What the audit log says of a job: everything but secrets. */
export function auditView(row: JobRow, conf: string): Record<string, unknown> {
  return {
    dataset: row.dataset,
    name: row.name,
    enabled: row.enabled === 1,
    kind: row.kind,
    destination: row.destination_identity,
    destination_conf: maskedConf(conf),
    logfetch_options: row.logfetch_options,
    output_options: row.output_options === null ? null : JSON.parse(row.output_options),
    filter: row.filter,
    frequency: row.frequency,
    max_upload_bytes: row.max_upload_bytes,
    max_upload_records: row.max_upload_records,
    max_upload_interval_seconds: row.max_upload_interval_seconds,
  }
}

export const scopeOf = (row: Pick<JobRow, 'account_id' | 'zone_id'>): Scope =>
  row.zone_id === null
    ? { kind: 'account', id: row.account_id, account: row.account_id }
    : { kind: 'zone', id: row.zone_id, account: row.account_id }

/** Plain base64, as Standard Webhooks has it: receivers decode it with whatever their language brings. */
export const newSigningSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

/** The jobs of a scope: an account's own, not those of its zones. */
export const jobsIn = (db: Db, scope: Pick<Scope, 'id'>) => db.selectFrom('jobs').where('scope_id', '=', scope.id)
export type Jobs = ReturnType<typeof jobsIn>
