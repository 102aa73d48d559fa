/**
 * Exporting a past range again. What the ledger knows is repeated window by window with the options of then, so that an
 * object store ends up with one copy under the same names; what it does not know becomes new windows.
 */
import { type Caller, record } from '../access/index.ts'
import { type Clock, fromMoment, type Nanos, problems, type Scope, toMoment, type Vault } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { freeze } from './frozen.ts'
import type { JobRow } from './job.ts'
import { findJob } from './jobs.ts'
import { cutSecondsOf, nextWindow, type Window } from './window.ts'

type BackfillNeeds = { readonly db: Db; readonly now: Clock; readonly vault: Vault }

export type Range = { readonly start: Nanos; readonly end: Nanos }
export type Purpose = 'backfill' | 'repair'

/** The windows that were put in the queue; the job's next turns work them off, behind what it owes anyway. */
export async function askAgain(
  { db, now, vault }: BackfillNeeds,
  caller: Caller,
  scope: Scope,
  id: number,
  range: Range,
  purpose: Purpose,
): Promise<{ windows: number }> {
  const at = now()
  return db.transaction().execute(async (trx) => {
    const job = await findJob(trx, scope, id)
    // What the job still owes it exports anyway; asking for it twice would send it twice to an HTTP destination.
    const end = job.owed_from === null ? at : least(fromMoment(job.owed_from), at)
    const asked: Window = { from: range.start, to: least(range.end, end) }
    if (asked.to <= asked.from) throw problems.nothingToRepeat()
    const conf = vault.open(job.conf_sealed)
    const known = await knownWindows(trx, id, asked)
    const fresh = gapsBetween(known, asked).flatMap((gap) => cutUp(gap, cutSecondsOf(conf)))
    const options = JSON.stringify(freeze(job, conf))
    const queued = [
      ...known.map((one) => ({
        from: one.from,
        to: one.to,
        options: one.options,
        options_version: one.options_version,
      })),
      ...fresh.map((one) => ({ ...one, options, options_version: job.options_version })),
    ]
    for (const one of queued) await queue(trx, job, one, purpose, toMoment(at))
    await trx
      .updateTable('jobs')
      .set({ next_turn: toMoment(at) })
      .where('id', '=', id)
      .execute()
    await record(trx, {
      caller,
      at,
      scope,
      action: 'update',
      resource: { type: 'logexport_job', id: String(id) },
      metadata: { [purpose]: { start: toMoment(asked.from), end: toMoment(asked.to), windows: queued.length } },
    })
    return { windows: queued.length }
  })
}

/** Takes back what is still waiting; what is under way ends as it would. */
export async function cancelWaiting(
  { db, now }: BackfillNeeds,
  scope: Scope,
  id: number,
): Promise<{ cancelled: number }> {
  await findJob(db, scope, id)
  const gone = await db
    .updateTable('windows')
    .set({ state: 'cancelled', reason: 'taken back', ended_at: toMoment(now()) })
    .where('job_id', '=', id)
    .where('state', '=', 'waiting')
    .returning('id')
    .execute()
  return { cancelled: gone.length }
}

type KnownWindow = Window & { readonly options: string; readonly options_version: number }

/**
 * Windows of the ledger that touch the range, whole: half a window would be another object. What was asked for by hand
 * counts too, so that a range the ledger did not know is cut the same way when it is asked for again.
 */
export async function knownWindows(trx: Db, job: number, { from, to }: Window): Promise<KnownWindow[]> {
  const rows = await trx
    .selectFrom('windows')
    .select(['from_time', 'to_time', 'options', 'options_version'])
    .where('job_id', '=', job)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'done'),
        eb.and([eb('purpose', '!=', 'export'), eb('state', 'in', ['begun', 'waiting'])]),
      ]),
    )
    .where('from_time', '<', toMoment(to))
    .where('to_time', '>', toMoment(from))
    .orderBy('from_time')
    .orderBy('id')
    .execute()
  const ranges = new Map(rows.toReversed().map((row) => [`${row.from_time}/${row.to_time}`, row] as const))
  return [...ranges.values()].toReversed().map((row) => ({
    from: fromMoment(row.from_time),
    to: fromMoment(row.to_time),
    options: row.options,
    options_version: row.options_version,
  }))
}

/** What of the range no window covers. */
export function gapsBetween(known: readonly Window[], asked: Window): Window[] {
  const gaps: Window[] = []
  let at = asked.from
  for (const { from, to } of known) {
    if (from > at) gaps.push({ from: at, to: least(from, asked.to) })
    if (to > at) at = to
  }
  if (at < asked.to) gaps.push({ from: at, to: asked.to })
  return gaps.filter((gap) => gap.to > gap.from)
}

function cutUp(gap: Window, cutSeconds: number): Window[] {
  const pieces: Window[] = []
  const pace = { intervalSeconds: 0, longestSeconds: 3600, cutSeconds }
  for (let at = gap.from; at < gap.to; ) {
    const piece = nextWindow(at, gap.to, pace)
    if (!piece) break
    pieces.push(piece)
    at = piece.to
  }
  return pieces
}

async function queue(
  trx: Db,
  job: JobRow,
  window: Window & { readonly options: string; readonly options_version: number },
  purpose: Purpose,
  moment: string,
): Promise<void> {
  await trx
    .insertInto('windows')
    .values({
      job_id: job.id,
      purpose,
      state: 'waiting',
      from_time: toMoment(window.from),
      to_time: toMoment(window.to),
      options: window.options,
      options_version: window.options_version,
      attempts: 0,
      begun_at: moment,
    })
    .execute()
}

const least = (a: Nanos, b: Nanos): Nanos => (a < b ? a : b)
