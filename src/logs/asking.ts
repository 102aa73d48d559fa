/**
 * Asks the record store: again while it says that it cannot just now, and with errors that tell the caller whether to try
 * again. An answer that is not whole is none.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import { Problem, problems } from '../base/index.ts'

// A batch of 32 MB takes under a second; one that takes two minutes is in trouble. Also how long an answer may say nothing.
export const queryLimitSeconds = 120

// Nothing was done, and in a moment it may be: too many queries (202) or parts (252), no word from the keeper (225, 242,
// 999) or from replicas (279, 285), another insert still waits for its replicas (286), this replica lags behind (289).
export const soonOver = new Set(['202', '225', '242', '252', '279', '285', '286', '289', '999'])

/** Asks again while the store says that it cannot just now; what waits longer than this is better told so. */
export async function patiently<T>(work: () => Promise<T>, patienceMs = 10_000): Promise<T> {
  const until = performance.now() + patienceMs
  for (let pauseMs = 50; ; pauseMs = Math.min(1000, pauseMs * 2)) {
    try {
      return await work()
    } catch (error) {
      const isOver = performance.now() + pauseMs > until
      if (isOver || !(error instanceof ClickHouseError) || !soonOver.has(error.code)) throw error
    }
    // Not in step with the other processes that wait for the same thing.
    await sleep(pauseMs * (0.5 + Math.random()))
  }
}

/** UNKNOWN_STATUS_OF_INSERT: too few replicas answered in time; what was inserted may yet appear. */
export const unknownEnd = '319'

// Codes of ClickHouse that mean "not now": those above, time, quota, no connection, out of memory, out of disk, cancelled.
const passing = new Set([...soonOver, '159', '201', '209', '210', '241', '243', unknownEnd, '394'])

// Whatever the store was doing: a disk that fails (5), no more files (23, 24), no room (28, 122), read-only (30). The
// engine child says the name of what kept it from handling an answer.
const storesMachine = /\berrno: (?:5|23|24|28|30|122)\b|\b(?:EIO|EMFILE|ENFILE|ENOSPC|EROFS|EDQUOT):/

const isPassing = ({ code, message }: ClickHouseError): boolean => passing.has(code) || storesMachine.test(message)

/** An error of the store as the caller hears it: one that may pass is `unavailable`, any other is our own bug. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  if (error instanceof ClickHouseError) return isPassing(error) ? unavailable(error) : error
  return mayPass(error) ? unavailable(error) : error
}

export const unavailable = (cause: unknown): Problem => {
  const problem = problems.unavailable('The record store does not answer just now; try again')
  problem.cause = cause
  return problem
}

/** What came is not all that was asked for. */
export const brokenOff = (why: string): Problem => {
  const problem = problems.unavailable('The record store answered with a part of a result; try again')
  problem.cause = new Error(why)
  return problem
}

const passingErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  // Of this machine: no room, a disk that fails or may not be written, no more files.
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
])

function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (
    (code !== undefined && passingErrors.has(code)) ||
    /socket hang up|aborted|timeout|premature close/i.test(error.message)
  )
}

/** A small answer, whole or not at all: in this format it says at its end how many rows it has. */
export async function askRows<T>(
  client: ClickHouseClient,
  query: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<T[]> {
  const answer = await client.query({
    query,
    query_params: { ...params },
    format: 'JSON',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0, max_execution_time: queryLimitSeconds },
  })
  const text = await answer.text()
  const whole = readWhole<T>(text)
  if (!whole) throw brokenOff(`an answer ends after ${text.length} characters`)
  return whole
}

function readWhole<T>(text: string): T[] | undefined {
  try {
    const { data, rows } = JSON.parse(text) as { readonly data?: T[]; readonly rows?: number }
    return data?.length === rows ? data : undefined
  } catch {
    return undefined
  }
}

/** Runs a query of ours, which must be harmless when run again, and turns its failure into what the caller may hear. */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await patiently(work, 2_000)
  } catch (error) {
    throw asProblem(error)
  }
}
