/**
 * A job's turn: a lease on the job together with a begun window, everything judged. The jobs table is the queue.
 *
 * A job sleeps (`next_turn` null) while nothing it owes has come in, and costs nothing. `wakeJobs` sets its turn when
 * records were noted. `takeTurn` leases the most overdue job in one statement and begins a window, or resumes the one
 * that a crash or a failure left begun; a job that turns out to owe nothing goes to sleep. `endTurn` gives the lease
 * back. Every lease has a number that only grows: whoever comes with an older one changes nothing.
 */
import { type Caller, record, theService } from '../access/index.ts'
import {
  accept,
  type Clock,
  fromRfc3339,
  type Judged,
  type Nanos,
  reject,
  type Scope,
  sayReasons,
  second,
  toMoment,
  toRfc3339,
  type Vault,
} from '../base/index.ts'
import type { Dataset, DatasetRegistry, Selection } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import { type Destination, judgeDestination } from '../destinations/index.ts'
import { judgeSelection, type OptionTexts } from './draft.ts'
import { auditView, type JobRow, scopeOf } from './job.ts'
import { backOff, cutSecondsOf, type Lately, nextTurn, nextWindow, type Pace, stretch, type Window } from './window.ts'

export type TurnNeeds = {
  readonly db: Db
  readonly now: Clock
  readonly vault: Vault
  readonly datasets: DatasetRegistry
  readonly intervalSeconds: number
  readonly leaseSeconds: number
  /** 0: a failing job tries forever. */
  readonly disableAfterHours: number
}

/** What a window exports, frozen when it is begun, so that a repeat writes the same bytes. */
export type FrozenOptions = OptionTexts & {
  readonly maxRecords: number
  /** Null sets no ceiling, and spares the exporter from measuring every record. */
  readonly maxBytes: number | null
}

export type Turn = {
  readonly job: number
  readonly holder: string
  readonly lease: number
  readonly scope: Scope
  readonly dataset: Dataset
  readonly selection: Selection
  readonly maxRecords: number
  readonly maxBytes: number | null
  readonly destination: Destination
  readonly signingSecrets: readonly string[]
  readonly window: Window & { readonly id: number; readonly purpose: 'export' | 'backfill' | 'repair' }
  readonly pace: Pace
  readonly failures: number
}

/** While behind, a window may hold this much time: fewer, larger objects, and still a bounded spool. */
const longestSeconds = 300

/** The hosted product's own ceiling where the customer sets none. */
const usualRecords = 100_000

/** The next turn, for whoever holds `holder`; undefined when no job is due. Other holders may have taken one meanwhile. */
export async function takeTurn(needs: TurnNeeds, holder: string, watermark: Nanos): Promise<Turn | undefined> {
  for (;;) {
    const taken = await needs.db.transaction().execute(async (trx) => {
      const row = await leaseJob(needs, trx, holder, watermark)
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
async function leaseJob(
  { now, leaseSeconds }: TurnNeeds,
  trx: Db,
  holder: string,
  watermark: Nanos,
): Promise<JobRow | undefined> {
  const moment = toMoment(now())
  return (
    trx
      .updateTable('jobs')
      .set((eb) => ({
        lease_holder: holder,
        lease_until: toMoment(now() + BigInt(leaseSeconds) * second),
        lease_number: eb('lease_number', '+', 1),
      }))
      .where((eb) =>
        eb(
          'id',
          '=',
          eb
            .selectFrom('jobs as due')
            .select('due.id')
            .where('due.next_turn', '<=', moment)
            .where('due.enabled', '=', 1)
            .where((one) => one.or([one('due.lease_until', 'is', null), one('due.lease_until', '<', moment)]))
            .where((one) =>
              one.or([
                one('due.owed_from', 'is', null),
                one('due.owed_from', '<', toMoment(watermark)),
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
            .limit(1),
        ),
      )
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
      from: instant(resumed.from_time),
      to: instant(resumed.to_time),
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
  const owedFrom = instant(row.owed_from)
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
    seconds: Number((instant(row.to_time) - instant(row.from_time)) / second),
    rows: row.rows ?? 0,
  }))
}

export function freeze(row: JobRow, conf: string): FrozenOptions {
  const destination = judgeDestination(conf)
  // An unfit destination is told of when the window is begun; what is frozen then is not sent.
  const limits = destination.ok ? destination.value.limits : {}
  const ceilings = [row.max_upload_bytes || undefined, limits.maxBytes].filter((bytes) => bytes !== undefined)
  return {
    logfetch_options: row.logfetch_options,
    output_options: row.output_options === null ? null : JSON.parse(row.output_options),
    filter: row.filter,
    maxRecords: Math.min(row.max_upload_records || usualRecords, limits.maxRecords ?? Number.POSITIVE_INFINITY),
    maxBytes: ceilings.length === 0 ? null : Math.min(...ceilings),
  }
}

function confOf({ vault }: Pick<TurnNeeds, 'vault'>, row: JobRow): string | undefined {
  try {
    return vault.open(row.conf_sealed)
  } catch {
    return undefined
  }
}

/** What was judged when it was saved may be judged otherwise now: datasets go, and rules about them change. */
function judgeStored(
  { datasets }: TurnNeeds,
  row: JobRow,
  conf: string,
  options: FrozenOptions,
): Judged<Pick<Turn, 'scope' | 'dataset' | 'selection' | 'maxRecords' | 'maxBytes' | 'destination'>> {
  const scope = scopeOf(row)
  const dataset = datasets.find(row.dataset, scope.kind)
  if (!dataset) return reject(`${row.dataset} is no longer a dataset of this service`)
  const destination = judgeDestination(conf)
  if (!destination.ok) return destination
  const selection = judgeSelection(options, dataset)
  if (!selection.ok) return selection
  const { maxRecords, maxBytes } = options
  return accept({ scope, dataset, selection: selection.value, maxRecords, maxBytes, destination: destination.value })
}

export function paceOf({ intervalSeconds }: Pick<TurnNeeds, 'intervalSeconds'>, row: JobRow, conf: string): Pace {
  const usual = row.frequency === 'low' ? Math.max(intervalSeconds, 300) : intervalSeconds
  const own = row.max_upload_interval_seconds || usual
  return { intervalSeconds: own, longestSeconds: Math.max(longestSeconds, own), cutSeconds: cutSecondsOf(conf) }
}

/** Nothing to do after all: the job sleeps until records are noted. */
async function putToSleep(trx: Db, row: JobRow): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ lease_holder: null, lease_until: null, next_turn: null })
    .where('id', '=', row.id)
    .execute()
}

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

export type Ending =
  | { readonly kind: 'complete'; readonly rows: number }
  /** The window stays begun and is tried again; `afterMs` is what the destination asked for. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs?: number }
  /** Not the destination's doing: the record store was not ready. Nobody is blamed. */
  | { readonly kind: 'postponed'; readonly afterMs: number }

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
async function blame(
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
  if (at - instant(row.failing_since) < BigInt(disableAfterHours) * 3600n * second) return
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
    metadata: { reason: `nothing was delivered since ${toRfc3339(instant(row.failing_since))}` },
  })
}

/** The end of the newest window ever begun: no record may be stamped before it, even if the clock was set back. */
export async function newestWindowEnd({ db }: Pick<TurnNeeds, 'db'>): Promise<Nanos> {
  const row = await db
    .selectFrom('windows')
    .select((eb) => eb.fn.max('to_time').as('to'))
    .executeTakeFirst()
  return row?.to ? instant(row.to) : 0n
}

/** A process that alone owns its database starts with no lease held: whoever held one is dead. */
export async function dropLeases({ db }: Pick<TurnNeeds, 'db'>): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_holder: null, lease_until: null })
    .where('lease_holder', 'is not', null)
    .execute()
}

/** A moment we stored ourselves. */
export function instant(moment: string): Nanos {
  const nanos = fromRfc3339(moment)
  if (nanos === undefined) throw new Error(`${moment} is no moment`)
  return nanos
}
