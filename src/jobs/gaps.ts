/**
 * Proof that nothing is missing: what the record store holds, window by window, against the receipts and, where the
 * destination lets us look, against the objects themselves.
 */
import type { Caller } from '../access/index.ts'
import { type Clock, fromMoment, type Nanos, type Scope, toMoment, type Vault } from '../base/index.ts'
import type { Dataset, DatasetRegistry, Selection } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import { judgeDestination, type Outside } from '../destinations/index.ts'
import { askAgain, gapsBetween, knownWindows, type Range } from './backfill.ts'
import { judgeSelection } from './draft.ts'
import { type FrozenOptions, freeze } from './frozen.ts'
import { findJob } from './jobs.ts'
import { type DeliveredPart, type Looked, lookAtObjects, notLooked } from './looks.ts'
import { knownDataset } from './saving.ts'
import type { Window } from './window.ts'

export type GapNeeds = {
  readonly outside: (withinMs: number, signal?: AbortSignal) => Outside
  readonly db: Db
  readonly now: Clock
  readonly vault: Vault
  readonly datasets: DatasetRegistry
  /** How many records each window would export. */
  readonly count: (
    scope: Scope,
    dataset: Dataset,
    selection: Selection,
    windows: readonly Window[],
  ) => Promise<readonly number[]>
}

export type Gap = { readonly from: Nanos; readonly to: Nanos; readonly stored: number; readonly delivered: number }

export type Audit = {
  readonly stored: number
  readonly delivered: number
  readonly gaps: readonly Gap[]
  readonly objects: Looked
}

/** An answer should come while somebody waits for it; what is not looked at by then is counted as hidden. */
const [oneLookMs, allLooksMs] = [10_000, 60_000]

/** Only what the job no longer owes: the rest is on its way. */
export async function auditJob(needs: GapNeeds, scope: Scope, id: number, range: Range): Promise<Audit> {
  const { db, vault } = needs
  const job = await findJob(db, scope, id)
  const settled = job.owed_from === null ? needs.now() : fromMoment(job.owed_from)
  const asked: Window = { from: range.start, to: range.end < settled ? range.end : settled }
  if (asked.to <= asked.from) return { stored: 0, delivered: 0, gaps: [], objects: notLooked }
  const dataset = knownDataset(needs, scope, job.dataset)
  const known = await knownWindows(db, id, asked)
  const conf = vault.open(job.conf_sealed)
  const now = JSON.stringify(freeze(job, conf))
  const looked = [...known, ...gapsBetween(known, asked).map((gap) => ({ ...gap, options: now }))]
  const parts = await deliveredParts(db, id, asked)
  const destination = judgeDestination(conf)
  const outside = needs.outside(oneLookMs, AbortSignal.timeout(allLooksMs))
  const objects = destination.ok ? await lookAtObjects(destination.value, outside, parts) : notLooked
  const delivered = deliveredRows(parts, new Set(objects.missing))
  const compared: Gap[] = []
  for (const [options, windows] of Map.groupBy(looked, (window) => window.options)) {
    const counts = await needs.count(scope, dataset, selectionOf(JSON.parse(options), dataset), windows)
    windows.forEach(({ from, to }, at) => {
      compared.push({ from, to, stored: counts[at] ?? 0, delivered: delivered(from, to) })
    })
  }
  return {
    stored: compared.reduce((sum, one) => sum + one.stored, 0),
    delivered: compared.reduce((sum, one) => sum + one.delivered, 0),
    gaps: compared.filter((one) => one.stored > one.delivered).sort((a, b) => (a.from < b.from ? -1 : 1)),
    objects,
  }
}

/** Exports the gaps again, and only those. */
export async function repairGaps(
  needs: GapNeeds,
  caller: Caller,
  scope: Scope,
  id: number,
  gaps: readonly Gap[],
): Promise<number> {
  let windows = 0
  for (const { from, to } of gaps) {
    windows += (await askAgain(needs, caller, scope, id, { start: from, end: to }, 'repair')).windows
  }
  return windows
}

function selectionOf(options: FrozenOptions, dataset: Dataset): Selection {
  const judged = judgeSelection(options, dataset)
  if (!judged.ok) throw new Error('the options of a window in the ledger are no longer valid')
  return judged.value
}

type PartOfWindow = DeliveredPart & { readonly from: string; readonly to: string }

async function deliveredParts(db: Db, job: number, { from, to }: Window): Promise<readonly PartOfWindow[]> {
  return db
    .selectFrom('deliveries')
    .innerJoin('windows', 'windows.id', 'deliveries.window_id')
    .select(['deliveries.id', 'windows.id as window', 'windows.from_time as from', 'windows.to_time as to'])
    .select(['deliveries.destination', 'deliveries.object_name as object', 'deliveries.rows', 'deliveries.bytes'])
    .where('deliveries.job_id', '=', job)
    .where('deliveries.outcome', '=', 'delivered')
    .where('windows.from_time', '<', toMoment(to))
    .where('windows.to_time', '>', toMoment(from))
    .execute()
}

/** Delivered rows by window, whichever export, backfill or repair delivered most of it. */
function deliveredRows(
  parts: readonly PartOfWindow[],
  missing: ReadonlySet<string>,
): (from: Nanos, to: Nanos) => number {
  const most = new Map<string, number>()
  const there = parts.filter((part) => !missing.has(part.object))
  for (const [, window] of Map.groupBy(there, (part) => part.window)) {
    const key = `${window[0]?.from}/${window[0]?.to}`
    const rows = window.reduce((sum, part) => sum + Number(part.rows), 0)
    most.set(key, Math.max(most.get(key) ?? 0, rows))
  }
  return (from, to) => most.get(`${toMoment(from)}/${toMoment(to)}`) ?? 0
}
