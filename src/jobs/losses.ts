/** Records that are about to be dropped although jobs still owe them: each job's ledger says from when to when, and how many. */
import { type Clock, fromMoment, type Nanos, type Scope, toMoment, type Vault } from '../base/index.ts'
import type { Dataset, Selection } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import { judgeSelection } from './draft.ts'
import { freeze } from './frozen.ts'
import { type JobRow, scopeOf } from './job.ts'
import type { Window } from './window.ts'

export type LossNeeds = {
  readonly db: Db
  readonly now: Clock
  readonly vault: Vault
  readonly count: (scope: Scope, dataset: Dataset, window: Window, selection: Selection) => Promise<number>
}

const reason = 'dropped before it was exported: the records had reached the disk ceiling'

export async function noteLosses(needs: LossNeeds, dataset: Dataset, day: Window): Promise<void> {
  const owing = await needs.db
    .selectFrom('jobs')
    .selectAll()
    .where('dataset', '=', dataset.name)
    .where('owed_from', '<', toMoment(day.to))
    .execute()
  for (const row of owing) await noteLoss(needs, dataset, row, { from: latest(row, day.from), to: day.to })
}

async function noteLoss({ db, now, vault, count }: LossNeeds, dataset: Dataset, row: JobRow, lost: Window) {
  const options = freeze(row, vault.open(row.conf_sealed))
  const selection = judgeSelection(options, dataset)
  const rows = selection.ok ? await count(scopeOf(row), dataset, lost, selection.value) : 0
  if (rows === 0) return
  const moment = toMoment(now())
  await db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('windows')
      .values({
        job_id: row.id,
        purpose: 'export',
        state: 'lost',
        from_time: toMoment(lost.from),
        to_time: toMoment(lost.to),
        options: JSON.stringify(options),
        options_version: row.options_version,
        rows,
        attempts: 0,
        reason,
        begun_at: moment,
        ended_at: moment,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('deliveries')
      .values({
        job_id: row.id,
        window_id: id,
        part: 0,
        object_name: '',
        rows,
        raw_bytes: 0,
        bytes: 0,
        sha256: '',
        attempts: 0,
        outcome: 'lost',
        reason,
      })
      .execute()
  })
}

function latest({ owed_from }: JobRow, from: Nanos): Nanos {
  const owed = owed_from === null ? from : fromMoment(owed_from)
  return owed > from ? owed : from
}
