/** A look at the objects themselves: a receipt says that one was written, not that it is still there. */
import type { Destination, Outside, Sight } from '../destinations/index.ts'

/** A delivered part of a window, as the ledger has it. */
export type DeliveredPart = {
  readonly id: number
  readonly window: number
  readonly destination: string | null
  readonly object: string
  readonly rows: number
  readonly bytes: number
}

export type Looked = {
  /** Objects that were looked at, and those of them that were seen as they were written. */
  readonly looked: number
  readonly seen: number
  /** Not there any more, or of another length. */
  readonly missing: readonly string[]
  /** What could not be looked at: the store would not say, or too little time was left. */
  readonly hidden: number
  readonly reason: string | null
}

export const notLooked: Looked = { looked: 0, seen: 0, missing: [], hidden: 0, reason: null }

const looksAtOnce = 16

/** Looks at each object of the parts where the job's destination is still the one it was put into. */
export async function lookAtObjects(
  destination: Destination,
  outside: Outside,
  parts: readonly DeliveredPart[],
): Promise<Looked> {
  const { look, identity } = destination
  if (!look) return notLooked
  // What was exported again lies under the same name: the newest receipt says how long it is.
  const newest = new Map(
    parts
      .filter((part) => part.destination === identity)
      .toSorted((a, b) => a.id - b.id)
      .map((part) => [part.object, part]),
  )
  const missing: string[] = []
  const reasons: string[] = []
  const note = ({ object, bytes }: DeliveredPart, sight: Sight) => {
    if (sight.sight === 'hidden') reasons.push(sight.reason)
    else if (sight.sight === 'missing' || isOtherLength(sight.bytes, bytes)) missing.push(object)
  }
  const waiting = newest.values()
  const work = async () => {
    for (const part of waiting) note(part, await look(part.object, outside))
  }
  await Promise.all(Array.from({ length: looksAtOnce }, work))
  const hidden = reasons.length
  return {
    looked: newest.size - hidden,
    seen: newest.size - hidden - missing.length,
    missing: missing.sort(),
    hidden,
    reason: reasons[0] ?? null,
  }
}

/** A store need not say how long an object is. */
const isOtherLength = (seen: number, written: number): boolean => Number.isSafeInteger(seen) && seen !== written
