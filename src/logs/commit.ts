/**
 * Group commit: batches that arrive together go into the store as one insert, and each is answered after that insert is
 * durable. While one insert is under way the next group gathers.
 *
 * A batch with a key is an insert of its own, so that the store can tell a repeat; see decision 0010.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseError } from '@clickhouse/client'
import { type Log, Problem, problems, type Scope, scopePath } from '../base/index.ts'
import type { Dataset } from '../datasets/index.ts'
import { askRows, asProblem } from './asking.ts'
import type { RecordStore } from './connect.ts'
import { frame } from './frame.ts'
import { type Care, insertSettings, insertStatement } from './insert.ts'
import type { SeenFields } from './seen.ts'
import { tableOf } from './tables.ts'
import type { Watermark } from './watermark.ts'

export type CommitNeeds = {
  readonly store: RecordStore
  readonly watermark: Watermark
  readonly seen: SeenFields
  readonly log: Log
}

/** Lines of one request for one dataset. */
export type Unit = {
  readonly scope: Scope
  readonly lines: readonly Buffer[]
  readonly bytes: number
  readonly care: Care
}

/** The store would not take these lines, for what is in them. */
export class Refused extends Error {}

export type Keyed = {
  /** The store drops a second insert with the same token. */
  readonly token: string
  /** Writes down, before the insert, under which stamp it would be found. */
  announce(at: bigint): Promise<void>
}

const insertSeconds = 60
// How long a caller waits for a store that went away before it hears so; a restart of the engine takes under a second.
const patienceMs = 15_000

/** Inserts the units as one block under one stamp. Rejects with Refused, or with a problem when the store is away. */
export async function commit(
  needs: CommitNeeds,
  dataset: Dataset,
  units: readonly Unit[],
  keyed?: Keyed,
): Promise<void> {
  const care = units[0]?.care ?? 'judged'
  // Of what was judged, the engine passes over the fields that it does not know: all of ours must be named.
  let named = care === 'judged' ? dataset : needs.seen.narrow(dataset)
  for (let losses = 0; ; ) {
    const outcome = await insertOnce(needs, named, units, care, keyed)
    if (outcome.kind === 'committed') return
    if (outcome.kind === 'lost') {
      losses += 1
      if (losses === 2) throw asProblem(outcome.cause)
    } else if (named !== dataset && needs.seen.learn(dataset, outcome.why)) named = dataset
    else throw new Refused(outcome.why)
  }
}

type InsertOutcome =
  | { readonly kind: 'committed' }
  | { readonly kind: 'refused'; readonly why: string }
  /** It is certain that nothing was stored. */
  | { readonly kind: 'lost'; readonly cause: unknown }

async function insertOnce(
  needs: CommitNeeds,
  dataset: Dataset,
  units: readonly Unit[],
  care: Care,
  keyed: Keyed | undefined,
): Promise<InsertOutcome> {
  const { store, watermark } = needs
  const row = `_${randomBytes(8).toString('hex')}`
  const stamp = watermark.stamp()
  const queryId = randomUUID()
  const life = store.life()
  try {
    await keyed?.announce(stamp.at)
  } catch (error) {
    stamp.settle()
    return { kind: 'lost', cause: error }
  }
  try {
    await store.insert({
      query: insertStatement(dataset, row, care),
      query_params: { scopes: units.map(({ scope }) => scopePath(scope)), at: stamp.at },
      rows: () => frame(units, row),
      query_id: queryId,
      clickhouse_settings: {
        ...insertSettings,
        input_format_skip_unknown_fields: care === 'judged' ? 1 : 0,
        max_execution_time: insertSeconds,
      },
      token: keyed?.token,
    })
    stamp.settle()
    return { kind: 'committed' }
  } catch (error) {
    // Nothing was sent: the disk is full, or files have run out.
    if (error instanceof Problem) {
      stamp.settle()
      throw error
    }
    if (error instanceof ClickHouseError) {
      stamp.settle()
      const problem = asProblem(error)
      if (problem !== error) throw problem
      return { kind: 'refused', why: error.message }
    }
    return afterSilence(needs, dataset, units, stamp, store.ended(queryId, life), error)
  }
}

/**
 * The connection broke, so the insert may or may not be in the store. Its stamp stays a floor until it can no longer
 * appear; then the store itself knows.
 */
async function afterSilence(
  { store, log }: CommitNeeds,
  dataset: Dataset,
  units: readonly Unit[],
  stamp: { readonly at: bigint; settle(): void },
  ended: Promise<void>,
  cause: unknown,
): Promise<InsertOutcome> {
  const settled = ended.then(stamp.settle)
  settled.catch((error) => log.error({ err: error }, 'an insert has an unknown end; the watermark waits for it'))
  const isSettled = await Promise.race([settled.then(() => true), sleep(patienceMs, false, { ref: false })])
  if (!isSettled) throw problems.unavailable('The record store does not answer just now; try again')
  const [unit] = units
  const isThere = unit !== undefined && (await hasRecords(store, dataset, unit.scope, [stamp.at]))
  return isThere ? { kind: 'committed' } : { kind: 'lost', cause }
}

/** Whether the store holds records of that scope under one of these stamps. */
export async function hasRecords(
  { client }: RecordStore,
  dataset: Dataset,
  scope: Scope,
  stamps: readonly bigint[],
): Promise<boolean> {
  const found = await askRows(
    client,
    `SELECT 1 FROM ${tableOf(dataset)} WHERE _scope = {scope:String} AND _at IN {stamps:Array(UInt64)} LIMIT 1`,
    { scope: scopePath(scope), stamps },
  )
  return found.length > 0
}

/** Commits units in groups. */
export type Groups = { add(dataset: Dataset, unit: Unit): Promise<void> }

const limits = {
  /** What one insert takes at most. */
  bytes: 32 << 20,
  units: 512,
  /**
   * Inserts of a dataset at a time; the second starts only for a group that is worth an insert of its own, since each costs
   * 50 ms of CPU whatever is in it. With 4 MB for 16, batches of 5 MB on a full machine went in one by one, and ten minutes
   * of load were not held (half of 2,000 reads a second within 741 ms instead of 15).
   */
  lanes: 2,
  worthALane: 16 << 20,
  /** Where senders come together, small groups start no closer than this: an insert of few records costs 40 ms of CPU. */
  paceMs: 100,
}

type Waiting = { readonly unit: Unit; resolve(): void; reject(error: unknown): void }

export function makeGroups(needs: CommitNeeds): Groups {
  const runGroup = async (dataset: Dataset, group: readonly Waiting[]): Promise<void> => {
    try {
      await commit(
        needs,
        dataset,
        group.map(({ unit }) => unit),
      )
      for (const { resolve } of group) resolve()
    } catch (error) {
      // One bad line must cost no other request: each goes on its own.
      if (error instanceof Refused && group.length > 1) for (const each of group) await runGroup(dataset, [each])
      else for (const { reject } of group) reject(error)
    }
  }

  const makeQueue = (dataset: Dataset) => {
    const waiting: Waiting[] = []
    let bytes = 0
    let running = 0
    let nextStart = 0
    const isWorthALane = () => bytes >= limits.worthALane
    const lane = async () => {
      // Requests read in the same turn of the event loop still join the group.
      await new Promise(setImmediate)
      while (waiting.length > 0 && (running === 1 || isWorthALane())) {
        const early = nextStart - performance.now()
        if (early > 0 && !isWorthALane()) {
          await sleep(early)
          continue
        }
        const group = takeGroup(waiting)
        bytes -= bytesOf(group)
        if (group.length > 1) nextStart = performance.now() + limits.paceMs
        await runGroup(dataset, group)
      }
      running -= 1
    }
    return (unit: Unit) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ unit, resolve, reject })
        bytes += unit.bytes
        if (running > 0 && (running >= limits.lanes || !isWorthALane())) return
        running += 1
        void lane()
      })
  }

  const queues = new Map<Dataset, ReturnType<typeof makeQueue>>()
  return {
    add(dataset, unit) {
      const queue = queues.get(dataset) ?? makeQueue(dataset)
      queues.set(dataset, queue)
      return queue(unit)
    },
  }
}

const bytesOf = (group: readonly Waiting[]): number => group.reduce((sum, { unit }) => sum + unit.bytes, 0)

/** As many as fit, from the first on, which goes whatever its size; one care per group, because the statement depends on it. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let bytes = 0
  let count = 0
  for (const { unit } of waiting) {
    const isOver = bytes + unit.bytes > limits.bytes || count === limits.units
    if (count > 0 && (isOver || unit.care !== waiting[0]?.unit.care)) break
    bytes += unit.bytes
    count += 1
  }
  return waiting.splice(0, count)
}

export const hashLines = (lines: readonly Buffer[]): string => {
  const hash = createHash('sha256')
  for (const line of lines) hash.update(line).update('\n')
  return hash.digest('hex')
}
