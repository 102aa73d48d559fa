/**
 * The floors of all ingest processes, in the metadata database: below its floor a process stamps no record.
 *
 * Whether a lease is alive is judged by the clock of the database alone, so processes whose clocks differ agree on it.
 * A process that only exports never stamps, so it publishes nothing; it reads what the others promise.
 */
import { sql } from 'kysely'
import { fromMoment, fromRfc3339, type Nanos, toMoment } from '../base/index.ts'
import type { Db } from '../db/index.ts'

export type PublishedFloors = {
  publish(floor: Nanos, leaseSeconds: number): Promise<void>
  read(): Promise<readonly Nanos[]>
  /** This process stamps no more: the others need not wait for its lease to end. */
  withdraw(): Promise<void>
}

export function makeFloors({ db }: { readonly db: Db }, node: string, mayStamp: boolean): PublishedFloors {
  return {
    async publish(floor, leaseSeconds) {
      if (!mayStamp) return
      const until = toMoment((await databaseNow(db)) + BigInt(leaseSeconds) * 1_000_000_000n)
      const promise = { floor: toMoment(floor), until }
      await db
        .insertInto('floors')
        .values({ node, ...promise })
        .onConflict((conflict) => conflict.column('node').doUpdateSet(promise))
        .execute()
    },
    async read() {
      const now = toMoment(await databaseNow(db))
      const rows = await db.selectFrom('floors').select('floor').where('until', '>=', now).execute()
      return rows.map(({ floor }) => fromMoment(floor))
    },
    async withdraw() {
      await db.deleteFrom('floors').where('node', '=', node).execute()
    },
  }
}

/** Both databases know it by this name, in UTC, to the second at least. */
async function databaseNow(db: Db): Promise<Nanos> {
  const { rows } = await sql<{ now: string | Date }>`select current_timestamp as now`.execute(db)
  const now = rows[0]?.now ?? ''
  const moment = now instanceof Date ? now.toISOString() : `${now}Z`
  const nanos = fromRfc3339(moment)
  if (nanos === undefined) throw new Error(`the database says ${moment} when asked for the time`)
  return nanos
}
