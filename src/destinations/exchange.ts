/** What the HTTP kinds share: the request a parcel becomes, and the outcome an answer means. */
import type { Answer, Outcome, OutgoingRequest, Parcel, Sight } from './destination.ts'

// A receiver that asks for a week has lost its mind or its clock; we look again after an hour.
const longestWaitMs = 3_600_000

/** Retried because the same bytes may be welcome later: timeouts, too early, too many, and the receiver's own trouble. */
const isPassing = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

/** 2xx took the parcel, some statuses ask for patience, everything else says no. */
export function readAnswer(answer: Answer, now: Date): Outcome {
  const { status } = answer
  if (status >= 200 && status < 300) return { outcome: 'delivered', status }
  if (status >= 300 && status < 400) {
    return { outcome: 'refused', status, reason: `answered ${status}, a redirect; redirects are not followed` }
  }
  const said = sayBody(answer.body)
  const reason = said === '' ? `answered ${status}` : `answered ${status}: ${said}`
  if (!isPassing(status)) return { outcome: 'refused', status, reason }
  const afterMs = retryAfter(answer.headers['retry-after'], now)
  return afterMs === undefined ? { outcome: 'retry', status, reason } : { outcome: 'retry', status, reason, afterMs }
}

/** What a HEAD answered. Whoever may not read is often told 403 for what is missing too, so that says nothing. */
export function readSight({ status, headers }: Answer): Sight {
  if (status >= 200 && status < 300) return { sight: 'there', bytes: Number(headers['content-length'] ?? Number.NaN) }
  return status === 404
    ? { sight: 'missing' }
    : { sight: 'hidden', reason: `answered ${status} to a look at the object` }
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function retryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), longestWaitMs)
}

/** The provider's own sentence, out of the XML or JSON it comes in. */
function sayBody(body: string): string {
  const xml = ['Code', 'Message'].flatMap((tag) => new RegExp(`<${tag}>([^<]{1,300})</${tag}>`).exec(body)?.[1] ?? [])
  if (xml.length > 0) return xml.join(': ')
  const json = readJson(body)
  for (const text of [json?.message, json?.text, json?.error, nested(json?.error)?.message]) {
    if (typeof text === 'string') return text
  }
  return /^\s*</.test(body) ? '' : body
}

const nested = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined

export function readJson(body: string): Record<string, unknown> | undefined {
  try {
    return nested(JSON.parse(body))
  } catch {
    return undefined
  }
}

/** One parcel as one POST; the body goes out as it is, and the receiver decompresses it. */
export function post(url: URL, parcel: Parcel, headers: Readonly<Record<string, string>>): OutgoingRequest {
  const encoding = parcel.contentEncoding === 'identity' ? {} : { 'content-encoding': parcel.contentEncoding }
  return {
    method: 'POST',
    url,
    headers: { 'content-type': parcel.contentType, ...headers, ...encoding },
    body: parcel.body,
  }
}

/**
 * The type of a stored object. Not a content encoding: a store that decompresses on the way out would hand a reader
 * plain text under a name that ends in .gz.
 */
export const objectType = (parcel: Parcel): string =>
  parcel.contentEncoding === 'identity' ? parcel.contentType : `application/${parcel.contentEncoding}`

export const sizeOf = (body: Parcel['body']): number => (body instanceof Uint8Array ? body.byteLength : body.size)

const longestReason = 300
const shortestSecret = 4

/** A reason fit to be stored and shown: one line, no secret even if the provider sent it back, and not endless. */
export function cleanReason(reason: string, secrets: readonly string[]): string {
  const spellings = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .filter((spelling) => spelling.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
  const hide = (text: string) => spellings.reduce((left, spelling) => left.replaceAll(spelling, '****'), text)
  // Once more after the white space is folded: a secret broken by a line feed would otherwise come together again.
  const line = hide(
    hide(reason)
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim(),
  )
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line
}
