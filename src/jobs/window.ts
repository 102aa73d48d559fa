/** Which range of received time a job exports next. Pure: the windows of a job tile time, whatever happens in between. */
import { type Nanos, second } from '../base/index.ts'

/** Everything received in [from, to). */
export type Window = { readonly from: Nanos; readonly to: Nanos }

export type Pace = {
  /** How long records may wait. */
  readonly intervalSeconds: number
  /** The longest window while catching up. */
  readonly longestSeconds: number
  /** No window crosses a multiple of this, so that `{DATE}` (or `{HOUR}`, `{MINUTE}`) in a path is true of every record. */
  readonly cutSeconds: number
}

const day = 86_400

/** The finest placeholder a path holds decides where windows are cut; a day when there is none. */
export function cutSecondsOf(conf: string): number {
  if (/\{MINUTE\}|%7BMINUTE%7D/i.test(conf)) return 60
  return /\{HOUR\}|%7BHOUR%7D/i.test(conf) ? 3600 : day
}

/** The window after all that was exported up to `owedFrom`; none while nothing is settled. */
export function nextWindow(
  owedFrom: Nanos,
  watermark: Nanos,
  { longestSeconds, cutSeconds }: Pace,
): Window | undefined {
  const cut = BigInt(cutSeconds) * second
  const to = least(watermark, owedFrom + BigInt(longestSeconds) * second, (owedFrom / cut + 1n) * cut)
  return to > owedFrom ? { from: owedFrom, to } : undefined
}

/** How long the last windows were, and what they held. */
export type Lately = readonly { readonly seconds: number; readonly rows: number }[]

const [fewRows, manyRows] = [20_000, 500_000]

/**
 * While behind, windows that hold little grow and windows that hold much shrink, so that a week of silence is caught up
 * in a few windows and a week of traffic in windows that the spool can hold.
 */
export function stretch(pace: Pace, lately: Lately): Pace {
  if (lately.length === 0) return pace
  const longest = Math.max(...lately.map(({ seconds }) => seconds))
  const rows = lately.reduce((sum, one) => sum + one.rows, 0)
  if (rows <= fewRows) return { ...pace, longestSeconds: Math.min(day, Math.max(pace.longestSeconds, 2 * longest)) }
  if (rows <= manyRows) return pace
  return { ...pace, longestSeconds: Math.max(1, Math.min(pace.longestSeconds, Math.floor(longest / 2))) }
}

/** When the window after one that ended at `to` is due: at once while behind, otherwise when the interval has passed. */
export function nextTurn(to: Nanos, watermark: Nanos, now: Nanos, { intervalSeconds }: Pace): Nanos {
  const interval = BigInt(intervalSeconds) * second
  if (watermark - to >= interval) return now
  const due = to + interval
  // A clock that was set back must not put a job to sleep for as long as it was set back.
  return due > now + interval ? now + interval : due
}

/** Full jitter: anywhere up to a bound that doubles with each failure, from one second to five minutes. */
export function backOff(failures: number, chance: number, afterMs = 0): number {
  const bound = Math.min(300_000, 1000 * 2 ** Math.min(failures, 20))
  return Math.max(afterMs, 250, Math.round(bound * chance))
}

const least = (first: Nanos, ...rest: readonly Nanos[]): Nanos =>
  rest.reduce((low, one) => (one < low ? one : low), first)
