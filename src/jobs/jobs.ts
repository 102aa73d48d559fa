/** Making, reading, changing and deleting export jobs, each in one transaction with its audit entry. */
import { isDeepStrictEqual } from 'node:util'
import { type Caller, record } from '../access/index.ts'
import { problems, type Reason, type Scope, toMoment } from '../base/index.ts'
import type { Dataset } from '../datasets/index.ts'
import { type Db, isTaken } from '../db/index.ts'
import type { Destination } from '../destinations/index.ts'
import {
  type Ceilings,
  judgeCeilings,
  judgeConf,
  judgeSelection,
  mostReasons,
  type OptionTexts,
  withoutRedaction,
} from './draft.ts'
import {
  auditView,
  type Job,
  type JobNeeds,
  type JobRow,
  jobsIn,
  newSigningSecret,
  type Ownership,
  view,
} from './job.ts'
import { needsChallenge, provesOwnership } from './ownership.ts'

export async function listJobs(needs: JobNeeds, caller: Caller, scope: Scope, dataset?: string): Promise<Job[]> {
  if (dataset !== undefined) knownDataset(needs, scope, dataset)
  let jobs = jobsIn(needs.db, scope)
  if (dataset !== undefined) jobs = jobs.where('dataset', '=', dataset)
  const rows = await jobs.selectAll().orderBy('id').execute()
  return rows.map((row) => view(needs, caller, row))
}

export async function viewJob(needs: JobNeeds, caller: Caller, scope: Scope, id: number): Promise<Job> {
  return view(needs, caller, await findJob(needs.db, scope, id))
}

export async function findJob(db: Db, scope: Scope, id: number): Promise<JobRow> {
  const row = await jobsIn(db, scope).selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw problems.jobMissing(id)
  return row
}

/**
 * The job as it is now, and nobody else's until the transaction ends. An update that changes nothing holds the row on
 * either database; after a mere read, two changes at once on PostgreSQL would both start from it, and one would be lost.
 */
export async function holdJob(trx: Db, scope: Scope, id: number): Promise<JobRow> {
  const row = await trx
    .updateTable('jobs')
    .set((eb) => ({ modified_on: eb.ref('modified_on') }))
    .where('scope_id', '=', scope.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw problems.jobMissing(id)
  return row
}

export type JobDraft = Ceilings & {
  readonly destination_conf: string
  readonly ownership_challenge?: string | null
  readonly dataset?: string | null
  readonly name?: string | null
  readonly enabled?: boolean | null
  readonly kind?: '' | 'edge' | null
  readonly logfetch_options?: string | null
  readonly output_options?: Record<string, unknown> | null
  readonly filter?: string | null
  readonly frequency?: 'high' | 'low' | null
}

/** Hosted clients may leave the challenge out where the string is itself a credential. */
export type Rules = { readonly ownership: Ownership }

export async function createJob(
  needs: JobNeeds,
  caller: Caller,
  scope: Scope,
  draft: JobDraft,
  rules: Rules = needs,
): Promise<Job> {
  const dataset = knownDataset(needs, scope, draft.dataset ?? 'http_requests')
  const texts = savedBy(caller, {
    logfetch_options: draft.logfetch_options ?? null,
    output_options: draft.output_options ?? null,
    filter: draft.filter ?? '',
  })
  const destination = judgeWhole(draft.destination_conf, texts, draft, dataset, draft.kind ?? '')
  if (!isProven(needs, scope, destination, draft.ownership_challenge, rules)) throw problems.wrongChallenge()
  const at = needs.now()
  const moment = toMoment(at)
  const enabled = draft.enabled === true
  try {
    return await needs.db.transaction().execute(async (trx) => {
      await refuseTooMany(trx, needs.maxJobs, scope, dataset.name)
      const row = await trx
        .insertInto('jobs')
        .values({
          account_id: scope.account,
          zone_id: scope.kind === 'zone' ? scope.id : null,
          scope_id: scope.id,
          dataset: dataset.name,
          name: draft.name ?? '',
          kind: draft.kind ?? '',
          enabled: enabled ? 1 : 0,
          ...destinationColumns(needs, destination, null),
          logfetch_options: texts.logfetch_options,
          output_options: texts.output_options && JSON.stringify(texts.output_options),
          filter: texts.filter,
          frequency: draft.frequency ?? null,
          max_upload_bytes: draft.max_upload_bytes ?? null,
          max_upload_records: draft.max_upload_records ?? null,
          max_upload_interval_seconds: draft.max_upload_interval_seconds ?? null,
          options_version: 1,
          created_on: moment,
          modified_on: moment,
          owed_from: enabled ? moment : null,
          next_turn: moment,
          lease_number: 0,
          failures: 0,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await record(trx, {
        caller,
        at,
        scope,
        action: 'create',
        resource: { type: 'logexport_job', id: String(row.id) },
        new: auditView(row, draft.destination_conf),
      })
      return view(needs, caller, row)
    })
  } catch (error) {
    if (isTaken(error, 'destination')) throw problems.destinationInUse()
    throw error
  }
}

export type JobChange = Partial<JobDraft>

/** Top-level fields that are left out stay; `output_options` is replaced whole. */
export async function updateJob(
  needs: JobNeeds,
  caller: Caller,
  scope: Scope,
  id: number,
  change: JobChange,
  rules: Rules = needs,
): Promise<Job> {
  const at = needs.now()
  try {
    return await needs.db.transaction().execute(async (trx) => {
      const before = await holdJob(trx, scope, id)
      if (change.dataset != null && change.dataset !== before.dataset) throw problems.fixed('dataset')
      if (change.kind != null && change.kind !== before.kind) throw problems.fixed('kind')
      const conf = needs.vault.open(before.conf_sealed)
      const next = change.destination_conf ?? conf
      const texts = changedTexts(caller, before, change)
      const isKept = next === conf && isDeepStrictEqual(texts, textsOf(before))
      // Whoever only stops a job need not mend it first: its dataset may be gone, and its options judged otherwise by now.
      const destination =
        isKept && change.enabled === false
          ? judgeStop(change)
          : judgeWhole(next, texts, change, knownDataset(needs, scope, before.dataset), before.kind)
      if (destination && next !== conf && !isProven(needs, scope, destination, change.ownership_challenge, rules)) {
        throw problems.wrongChallenge()
      }
      const row = await trx
        .updateTable('jobs')
        .set({
          ...(destination && next !== conf ? destinationColumns(needs, destination, before.signing_sealed) : {}),
          ...(change.name === undefined ? {} : { name: change.name ?? '' }),
          ...(change.frequency === undefined ? {} : { frequency: change.frequency }),
          ...(change.max_upload_bytes === undefined ? {} : { max_upload_bytes: change.max_upload_bytes }),
          ...(change.max_upload_records === undefined ? {} : { max_upload_records: change.max_upload_records }),
          ...(change.max_upload_interval_seconds === undefined
            ? {}
            : { max_upload_interval_seconds: change.max_upload_interval_seconds }),
          logfetch_options: texts.logfetch_options,
          output_options: texts.output_options && JSON.stringify(texts.output_options),
          filter: texts.filter,
          options_version: before.options_version + 1,
          modified_on: toMoment(at),
          // A changed destination deserves to be tried at once, not after the back-off of the old one.
          next_turn: toMoment(at),
          ...enabling(before, change.enabled ?? undefined, toMoment(at)),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      if (before.enabled === 1 && row.enabled === 0) await cancelOpenWindows(trx, id, toMoment(at))
      await record(trx, {
        caller,
        at,
        scope,
        action: 'update',
        resource: { type: 'logexport_job', id: String(id) },
        old: auditView(before, conf),
        new: auditView(row, next),
      })
      return view(needs, caller, row)
    })
  } catch (error) {
    if (isTaken(error, 'destination')) throw problems.destinationInUse()
    throw error
  }
}

export async function deleteJob(
  { db, now, vault }: JobNeeds,
  caller: Caller,
  scope: Scope,
  id: number,
): Promise<{ id: number }> {
  return db.transaction().execute(async (trx) => {
    // One statement: of two deletions at once, only one finds the job and is recorded.
    const gone = await trx
      .deleteFrom('jobs')
      .where('scope_id', '=', scope.id)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (!gone) throw problems.jobMissing(id)
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'delete',
      resource: { type: 'logexport_job', id: String(id) },
      old: auditView(gone, vault.open(gone.conf_sealed)),
    })
    return { id }
  })
}

export function knownDataset({ datasets }: Pick<JobNeeds, 'datasets'>, scope: Scope, name: string): Dataset {
  const dataset = datasets.find(name, scope.kind)
  if (!dataset) throw problems.datasetUnknown(name, scope.kind)
  return dataset
}

/** Everything a draft says, judged together so that every reason is told at once. */
function judgeWhole(conf: string, texts: OptionTexts, draft: Ceilings, dataset: Dataset, kind: string): Destination {
  const destination = judgeConf(conf)
  const judged = [judgeSelection(texts, dataset), destination, judgeCeilings(draft)]
  const reasons: Reason[] = judged.flatMap((one) => (one.ok ? [] : one.reasons))
  if (kind === 'edge' && dataset.name !== 'http_requests') {
    reasons.push({ message: 'kind edge is only for http_requests', pointer: '/kind' })
  }
  if (reasons.length > 0 || !destination.ok) throw problems.invalid(reasons.slice(0, mostReasons))
  return destination.value
}

function judgeStop(change: JobChange): undefined {
  const ceilings = judgeCeilings(change)
  if (!ceilings.ok) throw problems.invalid(ceilings.reasons)
}

const isProven = (
  needs: JobNeeds,
  scope: Scope,
  destination: Destination,
  token: string | null | undefined,
  { ownership }: Rules,
): boolean => (token ? provesOwnership(needs, scope, destination.conf, token) : !needsChallenge(destination, ownership))

function destinationColumns({ vault }: JobNeeds, destination: Destination, signing: string | null) {
  return {
    conf_sealed: vault.seal(destination.conf),
    destination_kind: destination.kind,
    destination_identity: destination.identity,
    // A receiver that moves, or gets a new key, goes on checking with the secrets it has.
    signing_sealed: destination.kind === 'https' ? (signing ?? vault.seal(JSON.stringify([newSigningSecret()]))) : null,
  }
}

const textsOf = ({ logfetch_options, output_options, filter }: JobRow): OptionTexts => ({
  logfetch_options,
  output_options: output_options === null ? null : JSON.parse(output_options),
  filter,
})

function changedTexts(caller: Caller, before: JobRow, change: JobChange): OptionTexts {
  const stored = textsOf(before)
  return savedBy(caller, {
    logfetch_options: change.logfetch_options === undefined ? stored.logfetch_options : change.logfetch_options,
    output_options: change.output_options === undefined ? stored.output_options : change.output_options,
    filter: change.filter === undefined ? stored.filter : (change.filter ?? ''),
  })
}

/** The redaction option is set through the API only. */
const savedBy = (caller: Caller, texts: OptionTexts): OptionTexts =>
  caller.interface === 'UI' ? withoutRedaction(texts) : texts

/**
 * Stopping a job fences off a turn under way. Who stops a job wants nothing of the time until it is started again; a job
 * that the service stopped (`owed_from` kept) goes on where it was.
 */
function enabling(before: JobRow, enabled: boolean | undefined, moment: string) {
  if (enabled === undefined || enabled === (before.enabled === 1)) return {}
  const fence = {
    lease_number: before.lease_number + 1,
    lease_holder: null,
    lease_until: null,
    failures: 0,
    failing_since: null,
  }
  return enabled
    ? { ...fence, enabled: 1 as const, owed_from: before.owed_from ?? moment }
    : { ...fence, enabled: 0 as const, owed_from: null }
}

async function cancelOpenWindows(trx: Db, job: number, moment: string): Promise<void> {
  await trx
    .updateTable('windows')
    .set({ state: 'cancelled', reason: 'the job was stopped', ended_at: moment })
    .where('job_id', '=', job)
    .where('state', 'in', ['begun', 'waiting'])
    .execute()
}

async function refuseTooMany(trx: Db, most: number, scope: Scope, dataset: string): Promise<void> {
  if (most === 0) return
  // Held, so that two creations at once do not both take the last place.
  await trx
    .updateTable('accounts')
    .set((eb) => ({ name: eb.ref('name') }))
    .where('id', '=', scope.account)
    .execute()
  const { total } = await jobsIn(trx, scope)
    .where('dataset', '=', dataset)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (Number(total) >= most) throw problems.tooManyJobs(dataset)
}
