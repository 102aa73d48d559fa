/** Making, reading, changing and deleting export jobs, each in one transaction with its audit entry. */
import { isDeepStrictEqual } from 'node:util'
import { type Caller, record } from '../access/index.ts'
import { problems, type Scope, toMoment } from '../base/index.ts'
import { type Db, isTaken, prepared } from '../db/index.ts'
import { auditView, type Job, type JobNeeds, type JobRow, jobsIn, view } from './job.ts'
import {
  changedTexts,
  destinationColumns,
  isProven,
  type JobChange,
  type JobDraft,
  judgeStop,
  judgeWhole,
  knownDataset,
  type Rules,
  savedBy,
  textsOf,
} from './saving.ts'

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
  const [row] = await jobById(db, scope.id, id)
  if (!row) throw problems.jobMissing(id)
  return row
}

const jobById = prepared((db, scope: string, id: number) => jobsIn(db, { id: scope }).selectAll().where('id', '=', id))

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
