/** How a siege ended: what each place lacks, has twice, or has otherwise than its receipt says. */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, logexport } from '../src/contract/index.ts'
import type { FirstRun } from '../test/serve.ts'
import { type SiegePlace, unpacked } from './siege-places.ts'

export type PlaceReport = {
  readonly name: string
  readonly isObjectStore: boolean
  readonly objects: number
  readonly lost: number
  readonly doubled: number
  /** Objects whose bytes are not those of the newest receipt with their name. */
  readonly unlikeReceipt: number
}

export type SiegeReport = {
  readonly acknowledged: number
  readonly kills: number
  readonly engineKills: number
  /** Of PostgreSQL, where there is one. */
  readonly restarts?: number
  /** Batches that had to be sent more than once. */
  readonly repeats: number
  readonly caughtUpMs: number
  readonly leftInSpool: number
  readonly places: readonly PlaceReport[]
}

/** Waits until every job has caught up, and counts what each place lacks, has twice, or has otherwise than its receipt says. */
export async function judgePlaces(
  client: Client,
  first: FirstRun,
  jobs: readonly number[],
  places: readonly SiegePlace[],
  acknowledged: number,
  withinMs: number,
): Promise<{ readonly caughtUpMs: number; readonly places: readonly PlaceReport[] }> {
  const begun = performance.now()
  await hurry(client, first, jobs)
  const counts = await caughtUp(places, acknowledged, withinMs)
  const caughtUpMs = performance.now() - begun
  const judged = places.map(async (place, at) => ({
    name: place.name,
    isObjectStore: place.isObjectStore,
    ...(counts[at] as Tally).judge(acknowledged),
    unlikeReceipt: place.isObjectStore ? await unlikeReceipts(client, first, jobs[at] ?? 0, place) : 0,
  }))
  return { caughtUpMs, places: await Promise.all(judged) }
}

/** A changed job is tried at once, so nobody waits for the rest of a back-off. */
async function hurry(client: Client, first: FirstRun, jobs: readonly number[]): Promise<void> {
  for (const job_id of jobs)
    await client.call(logexport.updateJob, {
      scope: { zone: first.zone_id },
      params: { job_id },
      body: { name: 'hurry' },
    })
}

/** How often each record was seen at one place; what did not change since the last look is not unpacked again. */
type Tally = {
  look(): Promise<void>
  seen(): number
  judge(expected: number): { objects: number; lost: number; doubled: number }
}

function makeTally(place: SiegePlace): Tally {
  const known = new Map<string, { readonly bytes: Buffer; readonly numbers: readonly number[] }>()
  const counts = new Map<number, number>()
  const count = (numbers: readonly number[], step: 1 | -1) => {
    for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + step)
  }
  return {
    async look() {
      for (const [name, bytes] of await place.texts()) {
        const before = known.get(name)
        if (before?.bytes.equals(bytes)) continue
        if (before) count(before.numbers, -1)
        const numbers = [...unpacked(bytes).matchAll(/r(\d{10})/g)].map(([, digits]) => Number(digits))
        known.set(name, { bytes, numbers })
        count(numbers, 1)
      }
    },
    seen: () => counts.values().reduce((sum, times) => sum + (times > 0 ? 1 : 0), 0),
    judge(expected) {
      const all = Array.from({ length: expected }, (_, number) => counts.get(number) ?? 0)
      return {
        objects: known.size,
        lost: all.filter((times) => times === 0).length,
        doubled: all.filter((times) => times > 1).length,
      }
    },
  }
}

async function caughtUp(places: readonly SiegePlace[], expected: number, withinMs: number): Promise<readonly Tally[]> {
  const tallies = places.map(makeTally)
  const until = performance.now() + withinMs
  do {
    await wait(500)
    for (const tally of tallies) await tally.look()
  } while (performance.now() < until && tallies.some((tally) => tally.seen() < expected))
  // What comes twice comes late.
  await wait(2_000)
  for (const tally of tallies) await tally.look()
  return tallies
}

async function unlikeReceipts(client: Client, first: FirstRun, job_id: number, place: SiegePlace): Promise<number> {
  const receipts = new Map<string, string>()
  const all = client.all(logexport.listDeliveries, {
    scope: { zone: first.zone_id },
    params: { job_id },
    query: { per_page: 1000 },
  })
  for await (const { object, sha256 } of all) if (!receipts.has(object)) receipts.set(object, sha256)
  let unlike = 0
  for (const [name, bytes] of await place.texts()) {
    const [, receipt] = [...receipts].find(([object]) => name.endsWith(object) || object.endsWith(name)) ?? []
    if (receipt !== createHash('sha256').update(bytes).digest('hex')) unlike += 1
  }
  return unlike
}

export function tellSiege(report: SiegeReport): string {
  const { acknowledged, kills, engineKills, restarts, repeats, caughtUpMs, leftInSpool, places } = report
  const killed = restarts === undefined ? `${engineKills} of its engine` : `${restarts} restarts of PostgreSQL`
  const rows = places.map(
    ({ name, objects, lost, doubled, unlikeReceipt }) =>
      `  ${name.padEnd(38)} ${String(objects).padStart(6)} ${String(lost).padStart(6)} ${String(doubled).padStart(8)} ${String(unlikeReceipt).padStart(8)}`,
  )
  return [
    `${kills} kills of the service and ${killed}, ${acknowledged} records acknowledged, ${repeats} batches sent again`,
    `all caught up after ${(caughtUpMs / 1000).toFixed(1)} s; files left in the spool: ${leftInSpool}`,
    `  ${'destination'.padEnd(38)} ${'parts'.padStart(6)} ${'lost'.padStart(6)} ${'doubled'.padStart(8)} ${'unlike'.padStart(8)}`,
    ...rows,
  ].join('\n')
}

/** What the siege must not show. An HTTP destination may hear a record twice. */
export const faultsOf = ({ places, leftInSpool }: SiegeReport): string[] => [
  ...places.flatMap(({ name, isObjectStore, lost, doubled, unlikeReceipt }) => [
    ...(lost > 0 ? [`${lost} records are lost at ${name}`] : []),
    ...(isObjectStore && doubled > 0 ? [`${doubled} records are doubled at ${name}`] : []),
    ...(unlikeReceipt > 0 ? [`${unlikeReceipt} objects are unlike their receipts at ${name}`] : []),
  ]),
  ...(leftInSpool > 0 ? [`${leftInSpool} files are left in the spool`] : []),
]
