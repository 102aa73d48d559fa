/** What jobs still owe, for retention; and whether the list of jobs can be believed at all. */
import { fromMoment, type Nanos } from '../base/index.ts'
import { type Db, prepared } from '../db/index.ts'
import { readNoted } from './activity.ts'

/**
 * By dataset, the oldest instant that a job has not exported yet. A job that sleeps since its zone fell silent owes
 * nothing that was noted: it must not keep everybody's records for as long as its silence lasts.
 */
export async function owedSince(db: Db): Promise<ReadonlyMap<string, Nanos>> {
  const [fact] = await readNoted(db)
  const owed = await db
    .selectFrom('jobs')
    .leftJoin('activity', (join) =>
      join.onRef('activity.scope_id', '=', 'jobs.scope_id').onRef('activity.dataset', '=', 'jobs.dataset'),
    )
    .select('jobs.dataset')
    .select((eb) =>
      eb.fn
        .min(
          eb
            .case()
            .when('activity.newest', '<', eb.ref('jobs.owed_from'))
            .then(eb.val(fact?.value ?? ''))
            .when('activity.newest', 'is', null)
            .then(eb.val(fact?.value ?? ''))
            .else(eb.ref('jobs.owed_from'))
            .end(),
        )
        .as('since'),
    )
    .where('jobs.owed_from', 'is not', null)
    .groupBy('jobs.dataset')
    .execute()
  const open = await db
    .selectFrom('windows')
    .innerJoin('jobs', 'jobs.id', 'windows.job_id')
    .select('jobs.dataset')
    .select((eb) => eb.fn.min('windows.from_time').as('since'))
    .where('windows.state', 'in', ['begun', 'waiting'])
    .groupBy('jobs.dataset')
    .execute()
  const oldest = new Map<string, Nanos>()
  for (const { dataset, since } of [...owed, ...open]) {
    if (since === null) continue
    // Before the first note there is nothing that could be known as exported.
    const at = since === '' ? 0n : fromMoment(since)
    const before = oldest.get(dataset)
    if (before === undefined || at < before) oldest.set(dataset, at)
  }
  return oldest
}

/**
 * Calls the roll of jobs. A job that was there and is gone must have a delete in the audit log, its own or its zone's or
 * account's. A database that answers "no jobs", or half of them, has none: the hosted product once lost most of a day's
 * logs to such an answer. Then nothing is scheduled, nothing moves, and nothing is deleted until the list is whole again.
 */
export type RollCall = { call(): Promise<readonly number[]> }

/** Ids of jobs, each with its account and zone. */
type Roll = ReadonlyMap<number, readonly string[]>

/** The same number of jobs with the same sum of ids are the same jobs: ids are never given twice, they only grow. */
const listen = prepared((db) =>
  db
    .selectFrom('jobs')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.sum('id').as('ids'), eb.fn.max('id').as('newest')]),
)

/** Where the roll outlives the process. It must not be the database, whose answers are doubted here. */
export type RollMemory = { recall(): Roll; keep(present: Roll): void }

export function makeRollCall(db: Db, memory?: RollMemory): RollCall {
  let present: Roll = memory?.recall() ?? new Map()
  let heard = ''
  return {
    /** Ids that are missing without a word; empty when the list can be believed. */
    async call() {
      const hears = JSON.stringify(await listen(db))
      if (hears === heard) return []
      const rows = await db.selectFrom('jobs').select(['id', 'account_id', 'zone_id']).execute()
      const now = new Map(rows.map((row) => [row.id, [row.account_id, row.zone_id].filter((id) => id !== null)]))
      const gone = [...present].filter(([id]) => !now.has(id))
      const missing = gone.length === 0 ? [] : await unexplained(db, gone)
      if (missing.length === 0) {
        present = now
        heard = hears
        memory?.keep(now)
      }
      return missing
    },
  }
}

async function unexplained(db: Db, gone: readonly (readonly [number, readonly string[]])[]): Promise<number[]> {
  const missing: number[] = []
  for (const [id, scopes] of gone) {
    const word = await db
      .selectFrom('audit_logs')
      .select('id')
      .where('action_type', '=', 'delete')
      .where((eb) =>
        eb.or([
          eb.and([eb('resource_type', '=', 'logexport_job'), eb('resource_id', '=', String(id))]),
          eb.and([eb('resource_type', 'in', ['zone', 'account']), eb('resource_id', 'in', [...scopes])]),
        ]),
      )
      .limit(1)
      .executeTakeFirst()
    if (!word) missing.push(id)
  }
  return missing
}
