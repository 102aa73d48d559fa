/** What a log fetch asks for: the option string by another door, and a range of received time within limits. */
import {
  accept,
  fromRfc3339,
  type Judged,
  judgedBy,
  type Nanos,
  type Reason,
  reject,
  sayReasons,
  second,
} from '../base/index.ts'
import { type Dataset, judgeFilter, judgeOptions, type Selection } from '../datasets/index.ts'
import type { Window } from '../logs/index.ts'

export type FetchLimits = {
  /** How long after receipt a record is served; 0 serves up to the watermark. */
  readonly minAgeSeconds: number
  readonly maxRangeSeconds: number
  readonly retentionDays: number
}

export type Fetch = { readonly window: Window; readonly selection: Selection; readonly count: number | undefined }

type FetchQuery = { readonly [name in 'start' | 'end' | 'count' | 'filter' | 'dataset']?: string | undefined }

/** Messages are those that clients of the hosted log fetch already know. */
export function judgeFetch(
  query: FetchQuery,
  rawQuery: string,
  dataset: Dataset,
  limits: FetchLimits,
  now: Nanos,
): Judged<Fetch> {
  const window = judgeWindow(query, limits, now)
  const options = judgeOptions(rawQuery, dataset, ['start', 'end', 'count', 'filter', 'dataset'])
  const filter = query.filter === undefined ? accept(null) : judgeFilter(query.filter, dataset)
  const count = judgeCount(query.count)
  const reasons: Reason[] = [window, options, filter, count].flatMap((one) => (one.ok ? [] : one.reasons))
  if (!window.ok || !options.ok || !filter.ok || !count.ok) return reject(`bad query: ${sayReasons(reasons)}`)
  return accept({ window: window.value, selection: { ...options.value, filter: filter.value }, count: count.value })
}

function judgeWindow({ start, end }: FetchQuery, limits: FetchLimits, now: Nanos): Judged<Window> {
  const from = readTime(start)
  const to = readTime(end)
  const unreadable = [
    ...(from === undefined ? ['error parsing start time: must be unix timestamp or rfc3339 string'] : []),
    ...(to === undefined ? ['error parsing end time: must be unix timestamp or rfc3339 string'] : []),
  ]
  if (from === undefined || to === undefined) return reject(...unreadable)
  const { minAgeSeconds, maxRangeSeconds, retentionDays } = limits
  const range = (why: string): Reason => ({ message: `error parsing time: invalid time range: ${why}` })
  const reasons = [
    ...(from >= to ? [range('start not before end')] : []),
    ...(to - from > BigInt(maxRangeSeconds) * second ? [range('too long')] : []),
    ...(from < now - BigInt(retentionDays) * 86_400n * second
      ? [range(`too early: logs older than ${retentionDays * 24}h0m0s are not available`)]
      : []),
    ...(to > now - BigInt(minAgeSeconds) * second ? [{ message: tooRecent(limits) }] : []),
  ]
  return judgedBy(reasons, () => ({ from, to }))
}

export const tooRecent = ({ minAgeSeconds }: FetchLimits): string =>
  `error parsing time: invalid time range: too recent: minimum delay in serving logs is ${inMinutes(minAgeSeconds)}`

/** Whole unix seconds, unix nanoseconds, or RFC 3339. */
function readTime(text: string | undefined): Nanos | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) return fromRfc3339(text)
  if (text.length > 19) return undefined
  return text.length <= 11 ? BigInt(text) * second : BigInt(text)
}

function judgeCount(text: string | undefined): Judged<number | undefined> {
  if (text === undefined) return accept(undefined)
  return /^[1-9]\d{0,9}$/.test(text) ? accept(Number(text)) : reject('count must be a whole number above 0')
}

const inMinutes = (seconds: number): string =>
  seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
