/**
 * What was looked up for the last request is mostly what the next one needs: who its caller is, and which scope it names.
 * It is remembered for a second, and forgotten as soon as this process writes anything. So alone, what is revoked is
 * refused at once; beside other processes within a second.
 */
import { type Clock, type Nanos, second } from '../base/index.ts'

/** The value of a key, found anew unless it is remembered. What was not found is not remembered. */
export type Recall = <T>(key: string, find: () => Promise<T | undefined>) => Promise<T | undefined>

export const anew: Recall = (_, find) => find()

const most = 10_000

export function makeRecall({ now, writes }: { readonly now: Clock; readonly writes: () => number }): Recall {
  const known = new Map<string, { readonly value: unknown; readonly at: Nanos }>()
  let writesSeen = writes()
  return async <T>(key: string, find: () => Promise<T | undefined>) => {
    const [before, at] = [writes(), now()]
    if (before !== writesSeen || known.size > most) known.clear()
    writesSeen = before
    const remembered = known.get(key)
    const age = remembered ? at - remembered.at : second
    if (remembered && age >= 0n && age < second) return remembered.value as T
    const value = await find()
    // Whatever was written meanwhile may have been what was read.
    if (value !== undefined && writes() === before) known.set(key, { value, at })
    return value
  }
}
