/** Time is nanoseconds since 1970 in a bigint; at the edges it is RFC 3339 text. A clock is handed in, never read. */

export type Nanos = bigint

/** The only source of "now" below `service.ts`; tests hand in one that they move. */
export type Clock = () => Nanos

const millisecond = 1_000_000n
export const second = 1_000_000_000n

export const systemClock: Clock = () => BigInt(Date.now()) * millisecond

export const fromDate = (date: Date): Nanos => BigInt(date.getTime()) * millisecond
export const toDate = (nanos: Nanos): Date => new Date(Number(nanos / millisecond))
export const toSeconds = (nanos: Nanos): number => Number(nanos / second)

export type Precision = 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds'
const digits: Record<Precision, number> = { seconds: 0, milliseconds: 3, microseconds: 6, nanoseconds: 9 }

/** RFC 3339 in UTC; the fraction is cut, not rounded, so that a range end never moves past its record. */
export function toRfc3339(nanos: Nanos, precision: Precision = 'seconds'): string {
  const below = ((nanos % second) + second) % second
  const whole = new Date(Number((nanos - below) / millisecond)).toISOString().slice(0, 19)
  const places = digits[precision]
  return places === 0 ? `${whole}Z` : `${whole}.${below.toString().padStart(9, '0').slice(0, places)}Z`
}

/** A moment as the metadata database keeps it: fixed width, so that text order is time order. */
export const toMoment = (nanos: Nanos): string => toRfc3339(nanos, 'nanoseconds')

/** A stored moment as the API shows it, in microseconds. */
export const showMoment = (moment: string): string => moment.replace(/\d{3}Z$/, 'Z')

const firstMoment = BigInt(Date.parse('0000-01-01T00:00:00Z')) * millisecond
const lastMoment = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * millisecond + 999_999n

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|([+-])(\d\d):(\d\d))$/

/** The instant an RFC 3339 text names, or undefined when it names none (31 February and hour 25 are none). */
export function fromRfc3339(text: string): Nanos | undefined {
  const parts = rfc3339.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, secs] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const leap = secs === 60 ? 1 : 0
  if (hour > 23 || minute > 59 || secs - leap > 59 || month < 1 || month > 12) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, secs - leap)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const zoneHours = Number(parts[10] ?? 0)
  const zoneMinutes = Number(parts[11] ?? 0)
  if (zoneHours > 23 || zoneMinutes > 59) return undefined
  const offset = BigInt((zoneHours * 60 + zoneMinutes) * (parts[9] === '-' ? -1 : 1)) * 60n * second
  const at = fromDate(date) + BigInt((parts[7] ?? '').padEnd(9, '0')) + BigInt(leap) * second - offset
  // An offset may lead out of the years that four digits can name.
  return at >= firstMoment && at <= lastMoment ? at : undefined
}

/** The inverse of `toMoment`, for a moment that we stored ourselves. */
export function fromMoment(moment: string): Nanos {
  const nanos = fromRfc3339(moment)
  if (nanos === undefined) throw new Error(`${moment} is no moment`)
  return nanos
}
