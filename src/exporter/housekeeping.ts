/** Housekeeping: old records and old ledger entries are forgotten, but never what a job still owes. */
import { type Log, type Metrics, second } from '../base/index.ts'
import { forgetBefore, noteLosses, owedSince, type RollCall, type TurnNeeds } from '../jobs/index.ts'
import { countRecords, forget, type LogNeeds } from '../logs/index.ts'
import { rest } from './rest.ts'

export type HousekeepingNeeds = {
  readonly turns: TurnNeeds
  readonly logs: LogNeeds
  readonly log: Log
  readonly metrics: Metrics
  readonly rollCall: RollCall
  readonly retentionDays: number
  /** 0: no ceiling. */
  readonly diskBytes: number
  readonly everyMs: number
}

/** How long the ledger remembers. */
const ledgerDays = 30n

export function startHousekeeping(needs: HousekeepingNeeds): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await rest(needs.everyMs, stopping.signal)
      if (stopping.signal.aborted) return
      await keepHouse(needs).catch((error) => needs.log.error({ err: error }, 'housekeeping failed'))
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await loop
    },
  }
}

export async function keepHouse(needs: HousekeepingNeeds): Promise<void> {
  const { turns, logs, log, metrics, rollCall, retentionDays, diskBytes } = needs
  // A list of jobs that cannot be believed protects nothing, so nothing is deleted on its word.
  const missing = await rollCall.call()
  if (missing.length > 0) {
    log.error(
      { jobs: missing.slice(0, 20), missing: missing.length },
      'jobs are missing from the metadata database; nothing is deleted',
    )
    return
  }
  const owed = await owedSince(turns.db)
  const now = turns.now()
  const dropped = await forget(logs, {
    now,
    days: () => retentionDays,
    keepFrom: ({ name }) => owed.get(name),
    ...(diskBytes === 0 ? {} : { diskBytes }),
    onLoss: (dataset, day) => noteLosses({ ...turns, count: (...what) => countRecords(logs, ...what) }, dataset, day),
  })
  for (const day of dropped) {
    if (day.unexported) {
      metrics.recordsLost.inc({ dataset: day.dataset }, day.rows)
      log.error(day, 'records were dropped before every job had exported them: the disk ceiling was reached')
    } else log.info(day, 'records were forgotten')
  }
  await forgetBefore(turns, now - ledgerDays * 86_400n * second)
}
