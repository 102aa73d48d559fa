/** Leases the most overdue job and begins its window, or resumes the one that was begun. */
import { fromMoment, type Nanos, sayReasons, second, toMoment } from '../base/index.ts'
import { type Db, prepared } from '../db/index.ts'
import { blame } from './end-turn.ts'
import { confOf, freeze, judgeStored, paceOf } from './frozen.ts'
import type { JobRow } from './job.ts'
import type { Turn, TurnNeeds } from './turn.ts'
import { type Lately, nextWindow, type Pace, stretch } from './window.ts'

/**
 * The next turn, for whoever holds `holder`; undefined when no job is due. Other holders may have taken one meanwhile.
 * `busy` are the jobs the holder is at work on: a clock that jumps ahead ends their leases, but not the work.
 */
export async function takeTurn(
  needs: TurnNeeds,
  holder: string,
  watermark: Nanos,
  busy: readonly number[] = [],
): Promise<Turn | undefined> {
  for (;;) {
    if ((await lookForWork(needs.db, toMoment(needs.now()), toMoment(watermark))).length === 0) return undefined
    const taken = await needs.db.transaction().execute(async (trx) => {
      const row = await leaseJob(needs, trx, holder, watermark, busy)
      if (!row) return 'none due'
      const turn = await beginWindow(needs, trx, row, holder, watermark)
      if (!turn) await putToSleep(trx, row)
      if (!turn || !('unfit' in turn)) return turn
      await blame(needs, trx, row, { reason: turn.unfit })
      return undefined
    })
    if (taken !== undefined) return taken === 'none due' ? undefined : taken
  }
}

/**
 * The most overdue job that can begin or resume a window. One whose records have not settled is passed over: put off by
 * a moment it would be due again before a hundred others were put off, and taking turns would never end.
 */
const mostOverdue = (db: Db, moment: string, watermark: string) =>
  db
    .selectFrom('jobs as due')
    .select('due.id')
    .where('due.next_turn', '<=', moment)
    .where('due.enabled', '=', 1)
    .where((one) => one.or([one('due.lease_until', 'is', null), one('due.lease_until', '<', moment)]))
    .where((one) =>
      one.or([
        one('due.owed_from', 'is', null),
        one('due.owed_from', '<', watermark),
        one.exists(
          one
            .selectFrom('windows')
            .select('windows.id')
            .whereRef('windows.job_id', '=', 'due.id')
            .where('windows.state', 'in', ['begun', 'waiting']),
        ),
      ]),
    )
    .orderBy('due.next_turn')
    .limit(1)

/** Asked four times a second: to build an update and to open a transaction for it was almost half of what a quiet house did. */
const lookForWork = prepared(mostOverdue)

async function leaseJob(
  { now, leaseSeconds }: TurnNeeds,
  trx: Db,
  holder: string,
  watermark: Nanos,
  busy: readonly number[],
): Promise<JobRow | undefined> {
  const moment = toMoment(now())
  const due = mostOverdue(trx, moment, toMoment(watermark))
  return (
    trx
      .updateTable('jobs')
      .set((eb) => ({
        lease_holder: holder,
        lease_until: toMoment(now() + BigInt(leaseSeconds) * second),
        lease_number: eb('lease_number', '+', 1),
      }))
      .where('id', '=', busy.length > 0 ? due.where('due.id', 'not in', busy) : due)
      // Asked again of the row itself: two holders may have found the same job.
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', moment)]))
      .returningAll()
      .executeTakeFirst()
  )
}

/** A job that can no longer be understood fails like any other, and holds up nobody behind it in the queue. */
type Unfit = { readonly unfit: string }

/** Resumes what was begun, else begins what is owed, else what was asked for by hand. */
async function beginWindow(
  needs: TurnNeeds,
  trx: Db,
  row: JobRow,
  holder: string,
  watermark: Nanos,
): Promise<Turn | Unfit | undefined> {
  const conf = confOf(needs, row)
  if (conf === undefined)
    return { unfit: 'the destination cannot be read; was the secret key of the service replaced?' }
  const pace = paceOf(needs, row, conf)
  const open = await trx
    .selectFrom('windows')
    .selectAll()
    .where('job_id', '=', row.id)
    .where('state', 'in', ['begun', 'waiting'])
    .orderBy('state')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const resumed = open?.state === 'begun' ? open : ((await beginOwed(needs, trx, row, conf, pace, watermark)) ?? open)
  if (!resumed) return undefined
  if (resumed.state === 'waiting')
    await trx.updateTable('windows').set({ state: 'begun' }).where('id', '=', resumed.id).execute()
  const judged = judgeStored(needs, row, conf, JSON.parse(resumed.options))
  if (!judged.ok) return { unfit: sayReasons(judged.reasons) }
  return {
    job: row.id,
    holder,
    lease: row.lease_number,
    failures: row.failures,
    pace,
    ...judged.value,
    signingSecrets: row.signing_sealed === null ? [] : JSON.parse(needs.vault.open(row.signing_sealed)),
    window: {
      id: resumed.id,
      purpose: resumed.purpose as Turn['window']['purpose'],
      from: fromMoment(resumed.from_time),
      to: fromMoment(resumed.to_time),
    },
  }
}

async function beginOwed(needs: TurnNeeds, trx: Db, row: JobRow, conf: string, pace: Pace, watermark: Nanos) {
  if (row.owed_from === null) return undefined
  const activity = await trx
    .selectFrom('activity')
    .select('newest')
    .where('scope_id', '=', row.scope_id)
    .where('dataset', '=', row.dataset)
    .executeTakeFirst()
  if (!activity || activity.newest < row.owed_from) return undefined
  const owedFrom = fromMoment(row.owed_from)
  const isBehind = watermark - owedFrom > BigInt(pace.longestSeconds) * second
  const window = nextWindow(owedFrom, watermark, isBehind ? stretch(pace, await lastWindows(trx, row.id)) : pace)
  if (!window) return undefined
  return trx
    .insertInto('windows')
    .values({
      job_id: row.id,
      purpose: 'export',
      state: 'begun',
      from_time: toMoment(window.from),
      to_time: toMoment(window.to),
      options: JSON.stringify(freeze(row, conf)),
      options_version: row.options_version,
      attempts: 0,
      begun_at: toMoment(needs.now()),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Three, because a window that ends at midnight says little about how long it could have been. */
async function lastWindows(trx: Db, job: number): Promise<Lately> {
  const rows = await trx
    .selectFrom('windows')
    .select(['from_time', 'to_time', 'rows'])
    .where('job_id', '=', job)
    .where('purpose', '=', 'export')
    .where('state', '=', 'done')
    .orderBy('from_time', 'desc')
    .limit(3)
    .execute()
  return rows.map((row) => ({
    seconds: Number((fromMoment(row.to_time) - fromMoment(row.from_time)) / second),
    rows: row.rows ?? 0,
  }))
}

/** Nothing to do after all: the job sleeps until records are noted. */
async function putToSleep(trx: Db, row: JobRow): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ lease_holder: null, lease_until: null, next_turn: null })
    .where('id', '=', row.id)
    .execute()
}

/** The end of the newest window ever begun: no record may be stamped before it, even if the clock was set back. */
export async function newestWindowEnd({ db }: Pick<TurnNeeds, 'db'>): Promise<Nanos> {
  const row = await db
    .selectFrom('windows')
    .select((eb) => eb.fn.max('to_time').as('to'))
    .executeTakeFirst()
  return row?.to ? fromMoment(row.to) : 0n
}

/** A process that alone owns its database starts with no lease held: whoever held one is dead. */
export async function dropLeases({ db }: Pick<TurnNeeds, 'db'>): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_holder: null, lease_until: null })
    .where('lease_holder', 'is not', null)
    .execute()
}
