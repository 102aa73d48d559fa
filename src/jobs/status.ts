/** How jobs are doing, for whoever watches them: how far behind, what is under way, what happens next. */
import { type Clock, fromMoment, problems, type Scope, showMoment } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { type JobRow, jobsIn } from './job.ts'
import { type Delivery, newestDeliveries } from './ledger.ts'

type StatusNeeds = { readonly db: Db; readonly now: Clock }
export type JobStatus = ReturnType<typeof statusOf>

export async function jobStatus(needs: StatusNeeds, scope: Scope, id: number): Promise<JobStatus> {
  const [status] = await listStatuses(needs, scope, id)
  if (!status) throw problems.jobMissing(id)
  return status
}

/** Of every job of the scope, or of one: three queries, however many jobs there are. */
export async function listStatuses({ db, now }: StatusNeeds, scope: Scope, only?: number): Promise<JobStatus[]> {
  let jobs = jobsIn(db, scope)
  if (only !== undefined) jobs = jobs.where('id', '=', only)
  const rows = await jobs.selectAll().orderBy('id').execute()
  const undone = await db
    .selectFrom('windows')
    .select(['job_id', 'state'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', 'in', jobs.select('id'))
    .where('state', 'in', ['begun', 'waiting'])
    .groupBy(['job_id', 'state'])
    .execute()
  const counts = new Map(undone.map(({ job_id, state, count }) => [`${job_id} ${state}`, Number(count)]))
  const newest = await newestDeliveries({ db }, jobs)
  return rows.map((job) =>
    statusOf(job, now, (state) => counts.get(`${job.id} ${state}`) ?? 0, newest.get(job.id) ?? null),
  )
}

function statusOf(job: JobRow, now: Clock, inState: (state: string) => number, last: Delivery | null) {
  const shown = (moment: string | null) => (moment === null ? null : showMoment(moment))
  // A job that sleeps owes nothing, however long ago its last window ended.
  const isOwing = job.owed_from !== null && job.next_turn !== null
  return {
    id: job.id,
    enabled: job.enabled === 1,
    lag_seconds: isOwing ? Math.max(0, Number(now() - fromMoment(job.owed_from ?? '')) / 1e9) : 0,
    owed_from: shown(job.owed_from),
    next_turn: shown(job.next_turn),
    failures: job.failures,
    failing_since: shown(job.failing_since),
    error_message: job.error_message,
    open_windows: inState('begun'),
    waiting_windows: inState('waiting'),
    last_delivery: last,
  }
}
