/** How a job is doing, for whoever watches it: how far behind, what is under way, what happens next. */
import { type Clock, fromMoment, type Scope, showMoment } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { findJob } from './jobs.ts'
import { listDeliveries } from './ledger.ts'

export async function jobStatus({ db, now }: { readonly db: Db; readonly now: Clock }, scope: Scope, id: number) {
  const job = await findJob(db, scope, id)
  const windows = await db
    .selectFrom('windows')
    .select('state')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', id)
    .where('state', 'in', ['begun', 'waiting'])
    .groupBy('state')
    .execute()
  const inState = (state: string) => Number(windows.find((row) => row.state === state)?.count ?? 0)
  const [last] = (await listDeliveries({ db }, scope, id, { per_page: 1 })).items
  const shown = (moment: string | null) => (moment === null ? null : showMoment(moment))
  // A job that sleeps owes nothing, however long ago its last window ended.
  const isOwing = job.owed_from !== null && job.next_turn !== null
  return {
    id,
    enabled: job.enabled === 1,
    lag_seconds: isOwing ? Math.max(0, Number(now() - fromMoment(job.owed_from ?? '')) / 1e9) : 0,
    owed_from: shown(job.owed_from),
    next_turn: shown(job.next_turn),
    failures: job.failures,
    failing_since: shown(job.failing_since),
    error_message: job.error_message,
    open_windows: inState('begun'),
    waiting_windows: inState('waiting'),
    last_delivery: last ?? null,
  }
}
