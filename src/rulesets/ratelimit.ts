/**
 * Rate limits at work: a counter for each rule and each combination of values of its characteristics, in memory. Where
 * several processes decide, each tells the others what it counted and adds what it hears.
 */
import { hash } from 'node:crypto'
import { type Count, type Nanos, second } from '../base/index.ts'
import { showValue, type Value } from '../expression/index.ts'
import type { RateLimit } from './ruleset.ts'

export type Counters = {
  /** Whether a request of this key is too many now; when it is, mitigation begins. */
  isOver(key: string, limit: RateLimit, now: Nanos): boolean
  count(key: string, limit: RateLimit, points: number, now: Nanos): void
  /** Points counted so far in the running period. */
  counted(key: string, now: Nanos): number
  /** Counted by another process. */
  hear(key: string, count: Count, now: Nanos): void
}

type Counter = { points: number; periodEnds: Nanos; mitigatedUntil: Nanos }

export type CounterOptions = {
  /** Past so many keys the oldest are forgotten, so that an attacker with many addresses cannot fill the memory. */
  readonly most?: number
  /** Told what was counted here. */
  readonly tell?: (key: string, count: Count) => void
}

export function makeCounters({ most = 100_000, tell }: CounterOptions = {}): Counters {
  const counters = new Map<string, Counter>()

  const running = (key: string, now: Nanos): Counter | undefined => {
    const counter = counters.get(key)
    return counter && (now < counter.periodEnds || now < counter.mitigatedUntil) ? counter : undefined
  }
  const points = (counter: Counter | undefined, now: Nanos): number =>
    counter && now < counter.periodEnds ? counter.points : 0
  /** Put last again, so that the first key of the map is the one not counted for the longest time. */
  const put = (key: string, counter: Counter): void => {
    counters.delete(key)
    counters.set(key, counter)
    if (counters.size > most) for (const oldest of counters.keys()) return void counters.delete(oldest)
  }

  return {
    counted: (key, now) => points(running(key, now), now),
    isOver(key, limit, now) {
      const counter = running(key, now)
      if (!counter) return false
      if (now < counter.mitigatedUntil) return true
      // "1 request per period" lets one through and acts on the second.
      if (points(counter, now) < allowed(limit)) return false
      // A timeout of zero throttles: only what is too much within the period is acted on.
      if (limit.mitigation_timeout > 0) {
        counter.mitigatedUntil = now + BigInt(limit.mitigation_timeout) * second
        tell?.(key, { points: 0, ends: counter.periodEnds, refusedUntil: counter.mitigatedUntil })
      }
      return true
    },
    count(key, limit, more, now) {
      const counter = running(key, now)
      const inPeriod = counter && now < counter.periodEnds
      const periodEnds = inPeriod ? counter.periodEnds : now + BigInt(limit.period) * second
      put(key, { points: points(counter, now) + more, periodEnds, mitigatedUntil: counter?.mitigatedUntil ?? 0n })
      tell?.(key, { points: more, ends: periodEnds, refusedUntil: 0n })
    },
    hear(key, { points: more, ends, refusedUntil }, now) {
      const counter = running(key, now)
      const own = counter && now < counter.periodEnds ? counter.periodEnds : undefined
      if (ends <= now && refusedUntil <= now) return
      put(key, {
        points: points(counter, now) + (ends > now ? more : 0),
        // Whoever counted first began the period; from then on it ends everywhere at the same time.
        periodEnds: own !== undefined && (own < ends || ends <= now) ? own : ends,
        mitigatedUntil: latest(counter?.mitigatedUntil ?? 0n, refusedUntil),
      })
    },
  }
}

const latest = (one: Nanos, other: Nanos): Nanos => (one > other ? one : other)

const allowed = ({ requests_per_period: requests, score_per_period: score }: RateLimit): number =>
  requests ?? score ?? Number.POSITIVE_INFINITY

/** A missing value and an empty one are different keys. Hashed, because a header that a visitor made up may be long. */
export const counterKey = (ruleId: string, values: readonly (Value | undefined)[]): string =>
  hash('sha256', `${ruleId} ${JSON.stringify(values.map(showValue))}`, 'base64url').slice(0, 16)
