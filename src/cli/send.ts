/** Carries batches of records to ingest: tries each again, with the same Idempotency-Key, until the service took it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type Envelope, logs, Refused, type ScopeRef } from '../contract/index.ts'

export type Taken = {
  readonly accepted: number
  readonly rejected: number
  readonly errors: readonly { readonly line: number; readonly message: string }[]
}

export type Send = (body: Uint8Array, key: string) => Promise<Taken>

export type SendNeeds = {
  readonly client: Client
  readonly scope: ScopeRef
  readonly dataset: string
  /** Ends the waiting and the trying; the batch may or may not have been taken. */
  readonly signal: AbortSignal
  /** Told before each wait, so that a person can see why nothing moves. */
  readonly onRetry: (why: string, waitMs: number) => void
  readonly firstWaitMs?: number
}

const longestWaitMs = 30_000
const patienceMs = 120_000

/** A refusal that trying again cannot change is thrown; all else is waited out, for days if need be. */
export function makeSend({ client, scope, dataset, signal, onRetry, firstWaitMs = 250 }: SendNeeds): Send {
  return async (body, key) => {
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await client.open(logs.ingest, {
          scope,
          params: { dataset },
          body,
          headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': key },
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        })
        return ((await answer.json()) as Envelope<Taken>).result
      } catch (error) {
        if (signal.aborted || !mayPass(error)) throw error
        const asked = error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0
        const backOff = Math.min(firstWaitMs * 2 ** tries, longestWaitMs) * (0.5 + Math.random() / 2)
        const waitMs = Math.max(asked, backOff)
        onRetry(reasonOf(error), waitMs)
        await sleep(waitMs, undefined, { signal })
      }
    }
  }
}

/** Busy, broken or out of reach: all of it may be over in a while. */
function mayPass(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 408 || error.status === 429 || error.status >= 500
  // fetch says TypeError for the network, SyntaxError for half an answer, TimeoutError for none.
  return error instanceof Error && ['TypeError', 'SyntaxError', 'TimeoutError'].includes(error.name)
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string } }
  return cause?.code ? `${message} (${cause.code})` : message
}
