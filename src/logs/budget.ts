/** How many bytes of bodies may be in memory at once: back-pressure is an answer, not growth. */
import { problems } from '../base/index.ts'

export type Budget = { take(bytes: number): void; give(bytes: number): void; inUse(): number }

export function makeBudget(limit: number): Budget {
  let inUse = 0
  return {
    take(bytes) {
      if (inUse + bytes > limit)
        throw problems.busy('More records are coming in than can be stored just now; send them again in a moment', 1)
      inUse += bytes
    },
    give(bytes) {
      inUse -= bytes
    },
    inUse: () => inUse,
  }
}
