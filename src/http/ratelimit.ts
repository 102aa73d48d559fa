/** How many requests a user may make in a window, counted over all credentials of that user, in this process. */
import type { Clock } from '../base/index.ts'

export type Allowance = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

export type RateLimit = { readonly requests: number; readonly seconds: number }

export function makeRateLimiter({ requests, seconds }: RateLimit, now: Clock): (user: string) => Allowance {
  const windows = new Map<string, { used: number; until: bigint }>()
  const length = BigInt(seconds) * 1_000_000_000n
  return (user) => {
    const at = now()
    let window = windows.get(user)
    if (!window || window.until <= at || window.until - at > length) {
      if (windows.size > 10_000) for (const [key, old] of windows) if (old.until <= at) windows.delete(key)
      window = { used: 0, until: at + length }
      windows.set(user, window)
    }
    window.used += 1
    return {
      allowed: window.used <= requests,
      limit: requests,
      remaining: Math.max(0, requests - window.used),
      resetSeconds: Math.max(1, Math.ceil(Number(window.until - at) / 1e9)),
    }
  }
}
