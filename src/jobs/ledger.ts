/** The ledger: every part of every window, written before it leaves and after each attempt. */
import { type Clock, type Nanos, type Scope, showMoment, toMoment } from '../base/index.ts'
import type { Db, DeliveriesTable, WindowsTable } from '../db/index.ts'
import type { Outcome } from '../destinations/index.ts'
import type { Jobs } from './job.ts'
import { findJob } from './jobs.ts'
import type { Turn } from './turn.ts'

type LedgerNeeds = { readonly db: Db; readonly now: Clock }

export type Part = {
  readonly part: number
  readonly name: string
  readonly rows: number
  readonly rawBytes: number
  readonly bytes: number
  readonly sha256: string
}

/**
 * Writes the parts down before the first one leaves. Those that an earlier attempt delivered, with the same bytes, are
 * told back: they are not sent again.
 */
export async function noteParts({ db }: LedgerNeeds, turn: Turn, parts: readonly Part[]): Promise<ReadonlySet<number>> {
  return db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('deliveries')
      .select(['part', 'sha256', 'outcome'])
      .where('window_id', '=', turn.window.id)
      .execute()
    const delivered = new Set<number>()
    for (const part of parts) {
      const before = known.find((row) => row.part === part.part)
      if (before?.outcome === 'delivered' && before.sha256 === part.sha256) delivered.add(part.part)
      const columns = {
        destination: turn.destination.identity,
        object_name: part.name,
        rows: part.rows,
        raw_bytes: part.rawBytes,
        bytes: part.bytes,
        sha256: part.sha256,
      }
      if (!before) {
        await trx
          .insertInto('deliveries')
          .values({
            job_id: turn.job,
            window_id: turn.window.id,
            part: part.part,
            ...columns,
            attempts: 0,
            outcome: 'pending',
          })
          .execute()
      } else if (before.sha256 !== part.sha256) {
        await trx
          .updateTable('deliveries')
          .set({ ...columns, outcome: 'pending' })
          .where('window_id', '=', turn.window.id)
          .where('part', '=', part.part)
          .execute()
      }
    }
    return delivered
  })
}

/** How one attempt at a part ended. Fenced: a holder whose lease is gone writes nothing. */
export async function noteAttempt({ db, now }: LedgerNeeds, turn: Turn, part: number, outcome: Outcome): Promise<void> {
  const moment = toMoment(now())
  await db
    .updateTable('deliveries')
    .set((eb) => ({
      attempts: eb('attempts', '+', 1),
      outcome: outcome.outcome,
      reason: outcome.outcome === 'delivered' ? null : outcome.reason,
      last_status: outcome.status ?? null,
      first_attempt: eb.fn.coalesce('first_attempt', eb.val(moment)),
      last_attempt: moment,
    }))
    .where('window_id', '=', turn.window.id)
    .where('part', '=', part)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('jobs')
          .select('jobs.id')
          .where('jobs.id', '=', turn.job)
          .where('jobs.lease_number', '=', turn.lease),
      ),
    )
    .execute()
}

export type DeliveryRow = Pick<WindowsTable, 'purpose' | 'state' | 'from_time' | 'to_time' | 'options_version'> &
  Omit<DeliveriesTable, 'id'> & { id: number }

export const viewDelivery = (row: DeliveryRow) => ({
  id: row.id,
  purpose: row.purpose,
  window: { from: row.from_time, to: row.to_time, state: row.state },
  part: row.part,
  destination: row.destination,
  object: row.object_name,
  options_version: row.options_version,
  rows: row.rows,
  raw_bytes: row.raw_bytes,
  bytes: row.bytes,
  sha256: row.sha256,
  attempts: row.attempts,
  last_status: row.last_status,
  outcome: row.outcome,
  reason: row.reason,
  first_attempt: row.first_attempt === null ? null : showMoment(row.first_attempt),
  last_attempt: row.last_attempt === null ? null : showMoment(row.last_attempt),
})
export type Delivery = ReturnType<typeof viewDelivery>

export type DeliveryQuery = { readonly cursor?: string; readonly per_page: number }

/** Newest first; the cursor is the id of the last one shown. */
export async function listDeliveries(
  { db }: Pick<LedgerNeeds, 'db'>,
  scope: Scope,
  job: number,
  { cursor, per_page }: DeliveryQuery,
): Promise<{ items: Delivery[]; cursor?: string }> {
  await findJob(db, scope, job)
  let rows = withWindows(db).where('deliveries.job_id', '=', job)
  if (cursor !== undefined) rows = rows.where('deliveries.id', '<', Number(cursor))
  const page = await rows
    .orderBy('deliveries.id', 'desc')
    .limit(per_page + 1)
    .execute()
  const items = page.slice(0, per_page).map(viewDelivery)
  const last = items.at(-1)
  return { items, ...(page.length > per_page && last ? { cursor: String(last.id) } : {}) }
}

/** The newest part of each of these jobs that has any: one step into the index for each. */
export const newestDeliveries = (db: Db, jobs: Jobs) =>
  withWindows(db).where(
    'deliveries.id',
    'in',
    jobs.select((eb) =>
      eb
        .selectFrom('deliveries as part')
        .whereRef('part.job_id', '=', 'jobs.id')
        .select(({ fn }) => fn.max('part.id').as('newest'))
        .as('newest'),
    ),
  )

const withWindows = (db: Db) =>
  db
    .selectFrom('deliveries')
    .innerJoin('windows', 'windows.id', 'deliveries.window_id')
    .selectAll('deliveries')
    .select(['windows.purpose', 'windows.state', 'windows.from_time', 'windows.to_time', 'windows.options_version'])

/** Windows that ended before this are forgotten, with their parts; the ledger does not grow for ever. */
export async function forgetBefore({ db }: Pick<LedgerNeeds, 'db'>, before: Nanos): Promise<void> {
  await db.deleteFrom('windows').where('ended_at', '<', toMoment(before)).execute()
}
