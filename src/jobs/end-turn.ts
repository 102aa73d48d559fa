/** Keeps a lease, gives it back, and says how the turn ended. Whoever has lost the lease changes nothing. */
import { type Caller, record, theService } from '../access/index.ts'
import { fromMoment, type Nanos, second, toMoment, toRfc3339 } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { confOf } from './frozen.ts'
import { auditView, type JobRow, scopeOf } from './job.ts'
import type { Ending, Turn, TurnNeeds } from './turn.ts'
import { backOff, nextTurn } from './window.ts'

/** False when the lease was lost: whoever hears it stops at once. */
export async function renewTurn({ db, now, leaseSeconds }: TurnNeeds, turn: Turn): Promise<boolean> {
  const renewed = await db
    .updateTable('jobs')
    .set({ lease_until: toMoment(now() + BigInt(leaseSeconds) * second) })
    .where('id', '=', turn.job)
    .where('lease_number', '=', turn.lease)
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

/** False when the lease was lost: nothing was changed then. */
export async function endTurn(needs: TurnNeeds, turn: Turn, ending: Ending, watermark: Nanos): Promise<boolean> {
  const { db, now } = needs
  const at = now()
  const moment = toMoment(at)
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('jobs')
      .set({ lease_holder: null, lease_until: null })
      .where('id', '=', turn.job)
      .where('lease_number', '=', turn.lease)
      .returningAll()
      .executeTakeFirst()
    if (!row) return false
    if (ending.kind === 'complete') {
      const moved =
        turn.window.purpose === 'export'
          ? { owed_from: toMoment(turn.window.to), last_complete: toMoment(turn.window.to) }
          : {}
      const due = turn.window.purpose === 'export' ? nextTurn(turn.window.to, watermark, at, turn.pace) : at
      await trx
        .updateTable('jobs')
        .set({
          ...moved,
          next_turn: toMoment(due),
          last_error: null,
          error_message: null,
          failures: 0,
          failing_since: null,
        })
        .where('id', '=', turn.job)
        .execute()
      await trx
        .updateTable('windows')
        .set((eb) => ({
          state: 'done',
          rows: ending.rows,
          attempts: eb('attempts', '+', 1),
          reason: null,
          ended_at: moment,
        }))
        .where('id', '=', turn.window.id)
        .execute()
      return true
    }
    if (ending.kind === 'postponed') {
      const due = toMoment(at + BigInt(ending.afterMs) * 1_000_000n)
      await trx.updateTable('jobs').set({ next_turn: due }).where('id', '=', turn.job).execute()
      return true
    }
    await trx
      .updateTable('windows')
      .set((eb) => ({ attempts: eb('attempts', '+', 1), reason: ending.reason }))
      .where('id', '=', turn.window.id)
      .execute()
    await blame(needs, trx, row, ending)
    return true
  })
}

/** The job failed: it backs off, says why, and is disabled when that has gone on for too long. */
export async function blame(
  needs: TurnNeeds,
  trx: Db,
  row: JobRow,
  { reason, afterMs }: { readonly reason: string; readonly afterMs?: number },
): Promise<void> {
  const at = needs.now()
  const moment = toMoment(at)
  await trx
    .updateTable('jobs')
    .set({
      lease_holder: null,
      lease_until: null,
      next_turn: toMoment(at + BigInt(backOff(row.failures, Math.random(), afterMs)) * 1_000_000n),
      last_error: moment,
      error_message: reason,
      failures: row.failures + 1,
      failing_since: row.failing_since ?? moment,
    })
    .where('id', '=', row.id)
    .execute()
  await disableWhenHopeless(needs, trx, row, at)
}

/** As the hosted product does, but with `owed_from` kept: enabling the job again resumes with nothing lost. */
async function disableWhenHopeless(
  { vault, disableAfterHours }: TurnNeeds,
  trx: Db,
  row: JobRow,
  at: Nanos,
): Promise<void> {
  if (disableAfterHours === 0 || row.failing_since === null) return
  if (at - fromMoment(row.failing_since) < BigInt(disableAfterHours) * 3600n * second) return
  const stopped = await trx
    .updateTable('jobs')
    .set({ enabled: 0 })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const conf = confOf({ vault }, row) ?? ''
  const caller: Caller = theService
  await record(trx, {
    caller,
    at,
    scope: scopeOf(row),
    action: 'update',
    resource: { type: 'logexport_job', id: String(row.id) },
    old: auditView(row, conf),
    new: auditView(stopped, conf),
    metadata: { reason: `nothing was delivered since ${toRfc3339(fromMoment(row.failing_since))}` },
  })
}
