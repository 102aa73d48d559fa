/**
 * Forgets records by whole days of receipt. A day goes when all of it is older than the dataset's retention and nobody
 * needs it any more; when the disk is full, the oldest days go although someone does, and what was lost is said.
 */
import type { Nanos } from '../base/index.ts'
import type { Dataset, DatasetRegistry } from '../datasets/index.ts'
import { asking } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { rows } from './scan.ts'
import { keysTable, tableOf } from './tables.ts'

export type RetentionNeeds = { readonly store: RecordStore; readonly datasets: DatasetRegistry }

export type RetentionRules = {
  readonly now: Nanos
  /** Days to keep, by dataset. */
  days(dataset: Dataset): number
  /** The oldest instant that an enabled job has not exported yet; undefined when no job waits. */
  keepFrom(dataset: Dataset): Nanos | undefined
  /** What the records may take on disk; the oldest days go when it is more. */
  readonly diskBytes?: number
  /** Told of a day that goes although a job still needs it, while its records can still be counted. */
  onLoss?(dataset: Dataset, day: { readonly from: Nanos; readonly to: Nanos }): Promise<void>
}

export type Dropped = {
  readonly dataset: string
  /** `YYYYMMDD`, UTC. */
  readonly day: string
  readonly rows: number
  readonly bytes: number
  /** `expired`: old and exported. `disk`: dropped for want of room; `unexported` then says whether a job still needed it. */
  readonly why: 'expired' | 'disk'
  readonly unexported: boolean
}

type Day = { readonly table: string; readonly day: string; readonly rows: number; readonly bytes: number }

export async function forget(needs: RetentionNeeds, rules: RetentionRules): Promise<readonly Dropped[]> {
  const byTable = new Map(needs.datasets.all.map((dataset) => [tableOf(dataset).slice(1, -1), dataset]))
  const days = await readDays(needs.store)
  const dropped: Dropped[] = []
  const kept: { readonly day: Day; readonly dataset: Dataset; readonly isNeeded: boolean }[] = []
  let total = days.reduce((sum, { bytes }) => sum + bytes, 0)

  const drop = async (dataset: Dataset, day: Day, why: Dropped['why'], unexported: boolean) => {
    await dropDay(needs.store, tableOf(dataset), day.day)
    total -= day.bytes
    dropped.push({ dataset: dataset.name, day: day.day, rows: day.rows, bytes: day.bytes, why, unexported })
  }
  for (const day of days) {
    const dataset = byTable.get(day.table)
    if (!dataset) continue
    const keepFrom = rules.keepFrom(dataset)
    const isNeeded = keepFrom !== undefined && endOf(day.day) > keepFrom
    const isOld = endOf(day.day) <= rules.now - BigInt(rules.days(dataset)) * dayNanos
    if (isOld && !isNeeded) await drop(dataset, day, 'expired', false)
    else kept.push({ day, dataset, isNeeded })
  }
  // Today's records are never dropped: they are still coming in.
  const oldestFirst = kept
    .filter(({ day }) => endOf(day.day) <= rules.now)
    .toSorted((a, b) => (a.day.day < b.day.day ? -1 : 1))
  for (const { day, dataset, isNeeded } of oldestFirst) {
    if (rules.diskBytes === undefined || total <= rules.diskBytes) break
    if (isNeeded) await rules.onLoss?.(dataset, { from: endOf(day.day) - dayNanos, to: endOf(day.day) })
    await drop(dataset, day, 'disk', isNeeded)
  }
  await forgetKeys(needs.store, days, rules.now)
  return dropped
}

// How long an Idempotency-Key is remembered.
const keyDays = 3n

async function forgetKeys(store: RecordStore, days: readonly Day[], now: Nanos): Promise<void> {
  const old = days.filter(({ table, day }) => `\`${table}\`` === keysTable && endOf(day) <= now - keyDays * dayNanos)
  for (const { day } of old) await dropDay(store, keysTable, day)
}

const dayNanos = 86_400_000_000_000n

/** The instant after the last of a day. */
function endOf(day: string): Nanos {
  const start = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8)))
  return BigInt(start) * 1_000_000n + dayNanos
}

const readDays = (store: RecordStore): Promise<readonly Day[]> =>
  rows<Day>(store, {
    sql: `SELECT table, partition AS day, sum(rows) AS rows, sum(bytes_on_disk) AS bytes
FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, day ORDER BY day, table`,
    params: {},
  })

async function dropDay({ client }: RecordStore, table: string, day: string): Promise<void> {
  if (!/^\d{8}$/.test(day)) throw new Error(`no day of ours: ${day}`)
  await asking(() => client.command({ query: `ALTER TABLE ${table} DROP PARTITION ${day}` }))
}
