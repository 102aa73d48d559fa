/**
 * Counts that several processes keep together. Each counts for itself, at once and in memory, and tells the others four
 * times a second what it has counted since; it adds what it hears from them. Decision 0023 says how exact that is.
 */
import { type Nanos, second } from './time.ts'

/** Words between processes: heard by all others that listen now, and kept nowhere. */
export type Bus = {
  /** Each at most `mostWords` characters. What cannot be told now is lost. */
  tell(words: readonly string[]): Promise<void>
  hear(listen: (words: string) => void): void
}

export const mostWords = 7_000

/** What was counted of one key in its running period, and until when all of the key is refused. */
export type Count = { readonly points: number; readonly ends: Nanos; readonly refusedUntil: Nanos }

export type Shares = {
  /** Counted here. Groups keep apart what may have the same keys. */
  note(group: string, key: string, count: Count): void
  /** Counted elsewhere. */
  hear(listen: (group: string, key: string, count: Count) => void): void
  close(): Promise<void>
}

export type ShareLimits = { readonly everyMs?: number; readonly most?: number }

/** At most `most` keys wait to be told; what is beyond is counted here only. */
export function makeShares(bus: Bus, { everyMs = 250, most = 20_000 }: ShareLimits = {}): Shares {
  let waiting = new Map<string, Map<string, Count>>()
  let size = 0
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> = Promise.resolve()

  const tell = (): void => {
    timer = undefined
    const words = [...waiting].flatMap(([group, counts]) => wordsOf(group, counts))
    waiting = new Map()
    size = 0
    telling = bus.tell(words)
  }

  return {
    note(group, key, count) {
      const counts = waiting.get(group) ?? new Map<string, Count>()
      const before = counts.get(key)
      if (!before && size >= most) return
      if (!before) size += 1
      counts.set(key, before ? added(before, count) : count)
      waiting.set(group, counts)
      timer ??= setTimeout(tell, everyMs)
    },
    hear(listen) {
      bus.hear((words) => {
        const [group = '', ...counts] = words.split(' ')
        for (const text of counts) {
          const [, key = '', points, ends, until] = /^([^:]+):(\d{1,15}):(\d{1,15}):(\d{1,15})$/.exec(text) ?? []
          if (key !== '') listen(group, key, { points: Number(points), ends: nanos(ends), refusedUntil: nanos(until) })
        }
      })
    },
    async close() {
      clearTimeout(timer)
      if (size > 0) tell()
      await telling
    },
  }
}

/** A later end is another period: what was counted in the one before is of no use any more. */
const added = (before: Count, { points, ends, refusedUntil }: Count): Count => ({
  points: ends <= before.ends ? before.points + points : points,
  ends,
  refusedUntil: refusedUntil > before.refusedUntil ? refusedUntil : before.refusedUntil,
})

/** `group key:points:ends:until …`, times in milliseconds. */
function wordsOf(group: string, counts: ReadonlyMap<string, Count>): string[] {
  const all: string[] = []
  let words = group
  for (const [key, { points, ends, refusedUntil }] of counts) {
    const text = ` ${key}:${Math.round(points)}:${millis(ends)}:${millis(refusedUntil)}`
    if (words.length + text.length > mostWords) {
      all.push(words)
      words = group
    }
    words += text
  }
  return [...all, words]
}

const inMillisecond = second / 1000n
const millis = (at: Nanos): bigint => at / inMillisecond
const nanos = (text: string | undefined): Nanos => BigInt(text ?? 0) * inMillisecond
