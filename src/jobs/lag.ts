/** Which jobs are behind, and by how much. A job that sleeps owes nothing. */
import { fromMoment, type Nanos, toMoment } from '../base/index.ts'
import { paceOf } from './frozen.ts'
import type { TurnNeeds } from './turn.ts'

export type Lag = { readonly job: number; readonly seconds: number; readonly reason: string | null }

/** Jobs that owe records older than three of their intervals, most behind first. */
export async function lags(needs: TurnNeeds, watermark: Nanos): Promise<readonly Lag[]> {
  const { db, intervalSeconds } = needs
  const least = toMoment(watermark - BigInt(3 * intervalSeconds) * 1_000_000_000n)
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('enabled', '=', 1)
    .where('next_turn', 'is not', null)
    .where('owed_from', '<', least)
    .orderBy('owed_from')
    .limit(10_000)
    .execute()
  return rows.flatMap((row) => {
    const seconds = row.owed_from === null ? 0 : Number(watermark - fromMoment(row.owed_from)) / 1e9
    return seconds > 3 * paceOf(needs, row, '').intervalSeconds
      ? [{ job: row.id, seconds, reason: row.error_message }]
      : []
  })
}
