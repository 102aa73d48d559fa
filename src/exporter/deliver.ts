/** One turn: the window's records become parts in the spool, each part becomes a delivery, and the ledger is told of both. */
import { rm } from 'node:fs/promises'
import { type Nanos, Problem } from '../base/index.ts'
import type { Outcome, Outside, Parcel } from '../destinations/index.ts'
import {
  type Ending,
  endTurn,
  noteAttempt,
  noteParts,
  type Part,
  renewTurn,
  type Turn,
  type TurnNeeds,
} from '../jobs/index.ts'
import { type LogNeeds, type SpooledPart, spoolParts } from '../logs/index.ts'
import { formOf, partName } from './parcels.ts'
import { rest } from './rest.ts'

export type DeliverNeeds = {
  readonly turns: TurnNeeds
  readonly logs: LogNeeds
  readonly outside: (wholeMs: number, signal?: AbortSignal) => Outside
  readonly watermark: () => Nanos
  readonly deliveryMs: number
  readonly onOutcome: (kind: string, outcome: Outcome['outcome'], part: Part) => void
}

/** Tries within one turn, before the job backs off and others have theirs. */
const triesInTurn = 3

/** Works a turn off. `signal` ends it early and leaves everything to be resumed. */
export async function deliverTurn(needs: DeliverNeeds, turn: Turn, signal: AbortSignal): Promise<Ending | 'left'> {
  const lease = keepLease(needs, turn, signal)
  let parts: readonly SpooledPart[] = []
  try {
    parts = await spoolParts(needs.logs, turn.scope, turn.dataset, turn.window, turn.selection, {
      name: `${turn.job}-${turn.window.id}-${turn.lease}`,
      maxRecords: turn.maxRecords,
      ...(turn.maxBytes === null ? {} : { maxBytes: turn.maxBytes }),
      signal: lease.signal,
    })
    const ending = await sendParts(needs, turn, parts, lease.signal)
    if (lease.signal.aborted) return leave(needs, turn)
    return (await endTurn(needs.turns, turn, ending, needs.watermark())) ? ending : 'left'
  } catch (error) {
    if (lease.signal.aborted) return leave(needs, turn)
    const ending = endingOf(error)
    await endTurn(needs.turns, turn, ending, needs.watermark())
    if (ending.kind === 'later') throw error
    return ending
  } finally {
    lease.stop()
    await Promise.all(parts.map((part) => rm(part.file, { force: true })))
  }
}

/** Gives back a lease that is still ours, so that another exporter goes on at once; one that was lost gives back nothing. */
async function leave({ turns, watermark }: DeliverNeeds, turn: Turn): Promise<'left'> {
  await endTurn(turns, turn, { kind: 'postponed', afterMs: 0 }, watermark())
  return 'left'
}

/** A record store that is away comes back; anything else is our bug, noted with the job and thrown on. */
function endingOf(error: unknown): Ending {
  if (error instanceof Problem && error.retryAfter !== undefined)
    return { kind: 'postponed', afterMs: error.retryAfter * 1000 }
  return { kind: 'later', reason: 'internal error; the log of the service says more' }
}

async function sendParts(
  needs: DeliverNeeds,
  turn: Turn,
  spooled: readonly SpooledPart[],
  signal: AbortSignal,
): Promise<Ending> {
  const rows = spooled.reduce((sum, part) => sum + part.rows, 0)
  const { ending } = formOf(turn.selection)
  const parts = spooled.map((part, at) => ({ ...part, part: at, name: partName(turn, at, ending) }))
  if (parts.length === 0) return { kind: 'complete', rows }
  const done = await noteParts(needs.turns, turn, parts)
  for (const part of parts.filter(({ part }) => !done.has(part))) {
    if (signal.aborted) return { kind: 'postponed', afterMs: 0 }
    const outcome = await sendPart(needs, turn, part, signal)
    if (outcome.outcome !== 'delivered') return later(turn, outcome)
  }
  return { kind: 'complete', rows }
}

/** Tries a few times in a row; a refusal is not tried again at once, since it would only be refused again. */
async function sendPart(
  needs: DeliverNeeds,
  turn: Turn,
  part: Part & SpooledPart,
  signal: AbortSignal,
): Promise<Outcome> {
  const { contentType, contentEncoding } = formOf(turn.selection)
  const parcel: Parcel = {
    name: part.name,
    body: { file: part.file, size: part.bytes, sha256: part.sha256 },
    contentType,
    contentEncoding,
    batchId: part.name,
    ...(turn.signingSecrets.length > 0 ? { signingSecrets: turn.signingSecrets } : {}),
  }
  for (let tried = 1; ; tried += 1) {
    const outcome = await turn.destination.deliver(parcel, needs.outside(needs.deliveryMs, signal))
    if (signal.aborted && outcome.outcome !== 'delivered') return outcome
    await noteAttempt(needs.turns, turn, part.part, outcome)
    needs.onOutcome(turn.destination.kind, outcome.outcome, part)
    const again = outcome.outcome === 'retry' && (outcome.afterMs ?? 0) <= 2_000 && tried < triesInTurn
    if (!again) return outcome
    await rest(outcome.afterMs ?? Math.random() * 200 * 2 ** tried, signal)
  }
}

function later(turn: Turn, outcome: Exclude<Outcome, { outcome: 'delivered' }>): Ending {
  const verb = outcome.outcome === 'refused' ? 'refused' : 'failed'
  return {
    kind: 'later',
    reason: `delivery to ${turn.destination.identity} ${verb}: ${outcome.reason}`,
    ...(outcome.outcome === 'retry' && outcome.afterMs !== undefined ? { afterMs: outcome.afterMs } : {}),
  }
}

/** Renews the lease while the turn lasts; when it is lost, whatever is under way is called off. */
function keepLease({ turns }: DeliverNeeds, turn: Turn, outer: AbortSignal): { signal: AbortSignal; stop(): void } {
  const lost = new AbortController()
  const leaseMs = turns.leaseSeconds * 1000
  let renewed = performance.now()
  const timer = setInterval(async () => {
    // The database may be away for a moment, but nobody holds a lease that ran out meanwhile.
    const asked = performance.now()
    const held = await renewTurn(turns, turn).catch(() => undefined)
    if (held) renewed = asked
    if (held === false || performance.now() - renewed > leaseMs) lost.abort()
  }, leaseMs / 3)
  return { signal: AbortSignal.any([outer, lost.signal]), stop: () => clearInterval(timer) }
}
