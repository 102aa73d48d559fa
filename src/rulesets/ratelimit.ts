/**
 * Rate limits at work: a counter for each rule and each combination of values of its characteristics. Counters are kept
 * in memory, each node for itself; sharing them between the nodes of a cluster is a later step.
 */
import { type Nanos, second } from '../base/index.ts'
import { showValue, type Value } from '../expression/index.ts'
import type { RateLimit } from './ruleset.ts'

export type Counters = {
  /** Whether a request of this key is too many now; when it is, mitigation begins. */
  isOver(key: string, limit: RateLimit, now: Nanos): boolean
  count(key: string, limit: RateLimit, points: number, now: Nanos): void
  /** Points counted so far in the running period. */
  counted(key: string, now: Nanos): number
}

type Counter = { points: number; periodEnds: Nanos; mitigatedUntil: Nanos }

/** Bounded: past `most` keys the oldest are forgotten, so that an attacker with many addresses cannot fill the memory. */
export function makeCounters(most = 100_000): Counters {
  const counters = new Map<string, Counter>()

  const running = (key: string, now: Nanos): Counter | undefined => {
    const counter = counters.get(key)
    return counter && (now < counter.periodEnds || now < counter.mitigatedUntil) ? counter : undefined
  }
  const points = (counter: Counter | undefined, now: Nanos): number =>
    counter && now < counter.periodEnds ? counter.points : 0

  return {
    counted: (key, now) => points(running(key, now), now),
    isOver(key, limit, now) {
      const counter = running(key, now)
      if (!counter) return false
      if (now < counter.mitigatedUntil) return true
      // "1 request per period" lets one through and acts on the second.
      if (points(counter, now) < allowed(limit)) return false
      // A timeout of zero throttles: only what is too much within the period is acted on.
      counter.mitigatedUntil = now + BigInt(limit.mitigation_timeout) * second
      return true
    },
    count(key, limit, more, now) {
      const counter = running(key, now)
      const inPeriod = counter && now < counter.periodEnds
      const next = {
        points: points(counter, now) + more,
        periodEnds: inPeriod ? counter.periodEnds : now + BigInt(limit.period) * second,
        mitigatedUntil: counter?.mitigatedUntil ?? 0n,
      }
      // Put last again, so that the first key of the map is the one not counted for the longest time.
      counters.delete(key)
      counters.set(key, next)
      if (counters.size > most) for (const oldest of counters.keys()) return void counters.delete(oldest)
    },
  }
}

const allowed = ({ requests_per_period: requests, score_per_period: score }: RateLimit): number =>
  requests ?? score ?? Number.POSITIVE_INFINITY

/** A missing value and an empty one are different keys. */
export const counterKey = (ruleId: string, values: readonly (Value | undefined)[]): string =>
  `${ruleId} ${JSON.stringify(values.map(showValue))}`
