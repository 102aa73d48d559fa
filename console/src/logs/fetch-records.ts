/** Fetching received records as the service gives them: lines of JSON, up to the newest moment that it serves. */
import { type Client, logs, Refused, type ScopeRef } from '../../../src/contract/index.ts'

export type LogRecord = Readonly<Record<string, unknown>>

export type RecordQuery = {
  readonly dataset: string
  readonly fields?: readonly string[]
  readonly filter?: string
  readonly sample?: string
  readonly timestamps?: string
  readonly count: number
  readonly start: Date
  readonly end: Date
}

/** How long after receipt the service serves a record; learned from its first refusal. */
let servedAfterMs = 1_500

export async function fetchRecords(
  client: Client,
  scope: ScopeRef,
  query: RecordQuery,
  signal: AbortSignal,
): Promise<readonly LogRecord[]> {
  const newest = new Date(Math.min(query.end.getTime(), Date.now() - servedAfterMs))
  try {
    const response = await client.open(logs.received, {
      scope,
      signal,
      query: {
        dataset: query.dataset,
        start: query.start.toISOString(),
        end: newest.toISOString(),
        count: String(query.count),
        timestamps: query.timestamps ?? 'rfc3339',
        ...(query.fields && query.fields.length > 0 ? { fields: query.fields.join(',') } : {}),
        ...(query.filter ? { filter: query.filter } : {}),
        ...(query.sample && Number(query.sample) !== 1 ? { sample: query.sample } : {}),
      },
    })
    return readLines(await response.text())
  } catch (error) {
    const delayMs = delayIn(error)
    if (delayMs === undefined || delayMs <= servedAfterMs) throw error
    servedAfterMs = delayMs
    return fetchRecords(client, scope, query, signal)
  }
}

function delayIn(error: unknown): number | undefined {
  if (!(error instanceof Refused)) return undefined
  const [, minutes = '0', seconds] = /minimum delay in serving logs is (?:(\d+)m)?(\d+)s/.exec(error.message) ?? []
  return seconds === undefined ? undefined : (Number(minutes) * 60 + Number(seconds) + 2) * 1000
}

export const readLines = (text: string): readonly LogRecord[] => text.split('\n').filter(Boolean).map(readRecord)

/** Whole numbers beyond what a double holds keep their digits. */
const readRecord = (line: string): LogRecord =>
  JSON.parse(line, (_, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? (context?.source ?? value)
      : value,
  ) as LogRecord
