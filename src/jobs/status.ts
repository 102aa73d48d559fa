/** How jobs are doing, for whoever watches them: how far behind, what is under way, what happens next. */
import { type Clock, fromMoment, problems, type Scope, showMoment } from '../base/index.ts'
import { type Db, prepared } from '../db/index.ts'
import { type JobRow, type Jobs, jobsIn } from './job.ts'
import { type Delivery, type DeliveryRow, newestDeliveries, viewDelivery } from './ledger.ts'

type StatusNeeds = { readonly db: Db; readonly now: Clock }
export type JobStatus = ReturnType<typeof statusOf>

export async function jobStatus({ db, now }: StatusNeeds, scope: Scope, id: number): Promise<JobStatus> {
  const one = [db, scope.id, id] as const
  const [status] = statuses(now, await rowOfOne(...one), await undoneOfOne(...one), await newestOfOne(...one))
  if (!status) throw problems.jobMissing(id)
  return status
}

/** Of every job of the scope: three queries, however many jobs there are. */
export async function listStatuses({ db, now }: StatusNeeds, scope: Scope): Promise<JobStatus[]> {
  const jobs = jobsIn(db, scope)
  return statuses(
    now,
    await rowsOf(jobs).execute(),
    await undoneOf(db, jobs).execute(),
    await newestDeliveries(db, jobs).execute(),
  )
}

const rowsOf = (jobs: Jobs) => jobs.selectAll().orderBy('id')

/** How many windows of each job are in each state that is not the last. */
const undoneOf = (db: Db, jobs: Jobs) =>
  db
    .selectFrom('windows')
    .select(['job_id', 'state'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', 'in', jobs.select('id'))
    .where('state', 'in', ['begun', 'waiting'])
    .groupBy(['job_id', 'state'])

const oneOf = (db: Db, scope: string, id: number): Jobs => jobsIn(db, { id: scope }).where('id', '=', id)
const rowOfOne = prepared((db, scope: string, id: number) => rowsOf(oneOf(db, scope, id)))
const undoneOfOne = prepared((db, scope: string, id: number) => undoneOf(db, oneOf(db, scope, id)))
const newestOfOne = prepared((db, scope: string, id: number) => newestDeliveries(db, oneOf(db, scope, id)))

function statuses(
  now: Clock,
  jobs: readonly JobRow[],
  undone: readonly { readonly job_id: number; readonly state: string; readonly count: number }[],
  deliveries: readonly DeliveryRow[],
): JobStatus[] {
  const counts = new Map(undone.map(({ job_id, state, count }) => [`${job_id} ${state}`, Number(count)]))
  const newest = new Map(deliveries.map((row) => [row.job_id, viewDelivery(row)]))
  return jobs.map((job) =>
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
