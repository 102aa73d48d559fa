/** Which scopes and datasets had records: noted once a tick for all jobs, so that an idle job costs nothing. */
import { type Clock, fromMoment, type Nanos, toMoment } from '../base/index.ts'
import { type Db, prepared } from '../db/index.ts'

export type ActivityNeeds = { readonly db: Db; readonly now: Clock }

/** Records of a scope and dataset in a stretch of received time. */
export type Seen = { readonly scope: string; readonly dataset: string; readonly first: Nanos; readonly last: Nanos }

/** The service fact that says up to where activity was noted. */
const notedUpTo = 'activity noted up to'

/** Its value, or nothing before the first tick. */
export const readNoted = prepared((db) => db.selectFrom('service_facts').select('value').where('name', '=', notedUpTo))

/** Up to where activity was noted; from there the next tick looks. */
export async function activityFrom({ db, now }: ActivityNeeds): Promise<Nanos> {
  const [fact] = await readNoted(db)
  if (fact) return fromMoment(fact.value)
  // Before the first tick there were no jobs that could owe anything older.
  const start = toMoment(now())
  await db
    .insertInto('service_facts')
    .values({ name: notedUpTo, value: start })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return activityFrom({ db, now })
}

/**
 * Notes what was received in [from, to) and wakes the jobs it concerns. False when another process noted it first.
 * A sleeping job is known to owe nothing before the first of these records, so its next window begins there: objects of
 * a scope that was silent for a week do not carry last week's date. That holds only when everything noted before was
 * already exported, hence the comparison with the newest of before.
 */
export async function noteActivity(
  { db, now }: ActivityNeeds,
  from: Nanos,
  to: Nanos,
  seen: readonly Seen[],
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const moved = await trx
      .updateTable('service_facts')
      .set({ value: toMoment(to) })
      .where('name', '=', notedUpTo)
      .where('value', '=', toMoment(from))
      .returning('name')
      .executeTakeFirst()
    if (!moved) return false
    for (const { scope, dataset, first, last } of seen)
      await wakeJobs(trx, toMoment(now()), { scope, dataset, first, last })
    return true
  })
}

async function wakeJobs(trx: Db, moment: string, { scope, dataset, first, last }: Seen): Promise<void> {
  const before = await trx
    .selectFrom('activity')
    .select('newest')
    .where('scope_id', '=', scope)
    .where('dataset', '=', dataset)
    .executeTakeFirst()
  await trx
    .insertInto('activity')
    .values({ scope_id: scope, dataset, newest: toMoment(last) })
    .onConflict((conflict) => conflict.columns(['scope_id', 'dataset']).doUpdateSet({ newest: toMoment(last) }))
    .execute()
  const asleep = trx
    .updateTable('jobs')
    .where('scope_id', '=', scope)
    .where('dataset', '=', dataset)
    .where('enabled', '=', 1)
    .where('next_turn', 'is', null)
  await asleep
    .set({ owed_from: toMoment(first) })
    .where('owed_from', '>', before?.newest ?? '')
    .where('owed_from', '<', toMoment(first))
    .execute()
  await asleep.set({ next_turn: moment }).execute()
}

/** Wakes jobs that fell asleep in the very moment that records were noted for them. */
export async function wakeOverslept({ db, now }: ActivityNeeds): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ next_turn: toMoment(now()) })
    .where('enabled', '=', 1)
    .where('next_turn', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('activity')
          .select('activity.newest')
          .whereRef('activity.scope_id', '=', 'jobs.scope_id')
          .whereRef('activity.dataset', '=', 'jobs.dataset')
          .whereRef('activity.newest', '>=', 'jobs.owed_from'),
      ),
    )
    .execute()
}

/** The clock was set back, or may have been while nobody looked: a turn that lies in the future is taken now. */
export async function wakeEarly({ db, now }: ActivityNeeds): Promise<void> {
  const moment = toMoment(now())
  await db
    .updateTable('jobs')
    .set({ next_turn: moment })
    .where('enabled', '=', 1)
    .where('next_turn', '>', moment)
    .execute()
}
