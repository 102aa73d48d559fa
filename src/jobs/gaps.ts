/** Proof that nothing is missing: what the record store holds, window by window, against what the receipts say. */
import type { Caller } from '../access/index.ts'
import { type Clock, type Nanos, type Scope, toMoment, type Vault } from '../base/index.ts'
import type { Dataset, DatasetRegistry, Selection } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import { askAgain, gapsBetween, knownWindows, type Range } from './backfill.ts'
import { judgeSelection } from './draft.ts'
import { findJob, knownDataset } from './jobs.ts'
import { type FrozenOptions, freeze, instant } from './turns.ts'
import type { Window } from './window.ts'

export type GapNeeds = {
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

export type Audit = { readonly stored: number; readonly delivered: number; readonly gaps: readonly Gap[] }

/** Only what the job no longer owes: the rest is on its way. */
export async function auditJob(needs: GapNeeds, scope: Scope, id: number, range: Range): Promise<Audit> {
  const { db, vault } = needs
  const job = await findJob(db, scope, id)
  const settled = job.owed_from === null ? needs.now() : instant(job.owed_from)
  const asked: Window = { from: range.start, to: range.end < settled ? range.end : settled }
  if (asked.to <= asked.from) return { stored: 0, delivered: 0, gaps: [] }
  const dataset = knownDataset(needs, scope, job.dataset)
  const known = await knownWindows(db, id, asked)
  const now = JSON.stringify(freeze(job, vault.open(job.conf_sealed)))
  const looked = [...known, ...gapsBetween(known, asked).map((gap) => ({ ...gap, options: now }))]
  const delivered = await deliveredRows(db, id)
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

/** Delivered rows by window, whichever export, backfill or repair delivered most of it. */
async function deliveredRows(db: Db, job: number): Promise<(from: Nanos, to: Nanos) => number> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('windows', 'windows.id', 'deliveries.window_id')
    .select(['windows.id', 'windows.from_time', 'windows.to_time'])
    .select((eb) => eb.fn.sum<number>('deliveries.rows').as('rows'))
    .where('deliveries.job_id', '=', job)
    .where('deliveries.outcome', '=', 'delivered')
    .groupBy(['windows.id', 'windows.from_time', 'windows.to_time'])
    .execute()
  const most = new Map<string, number>()
  for (const row of rows) {
    const key = `${row.from_time}/${row.to_time}`
    most.set(key, Math.max(most.get(key) ?? 0, Number(row.rows)))
  }
  return (from, to) => most.get(`${toMoment(from)}/${toMoment(to)}`) ?? 0
}
