/**
 * How many requests a user may make in a window, counted over all credentials of that user and, where there are several
 * processes, over all of them.
 */
import type { Clock, Nanos, Shares } from '../base/index.ts'

export type Allowance = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

export type RateLimit = { readonly requests: number; readonly seconds: number }

const group = 'users'

export function makeRateLimiter(
  { requests, seconds }: RateLimit,
  now: Clock,
  shares?: Shares,
): (user: string) => Allowance {
  const windows = new Map<string, { used: number; until: Nanos }>()
  const length = BigInt(seconds) * 1_000_000_000n
  const running = (user: string, at: Nanos) => {
    const window = windows.get(user)
    return window && window.until > at && window.until - at <= length ? window : undefined
  }
  const begin = (user: string, at: Nanos, until: Nanos) => {
    if (windows.size > 10_000) for (const [key, old] of windows) if (old.until <= at) windows.delete(key)
    const window = { used: 0, until }
    windows.set(user, window)
    return window
  }

  shares?.hear((from, user, { points, ends }) => {
    const at = now()
    if (from !== group || ends <= at || ends - at > length) return
    const window = running(user, at) ?? begin(user, at, ends)
    window.used += points
    // Whoever was asked first began the window.
    if (ends < window.until) window.until = ends
  })

  return (user) => {
    const at = now()
    const window = running(user, at) ?? begin(user, at, at + length)
    window.used += 1
    shares?.note(group, user, { points: 1, ends: window.until, refusedUntil: 0n })
    return {
      allowed: window.used <= requests,
      limit: requests,
      remaining: Math.max(0, requests - window.used),
      resetSeconds: Math.max(1, Math.ceil(Number(window.until - at) / 1e9)),
    }
  }
}
