/**
 * A job's turn: a lease on the job together with a begun window, everything judged. The jobs table is the queue.
 *
 * A job sleeps (`next_turn` null) while nothing it owes has come in, and costs nothing. `wakeJobs` sets its turn when
 * records were noted. `takeTurn` leases the most overdue job in one statement and begins a window, or resumes the one
 * that a crash or a failure left begun; a job that turns out to owe nothing goes to sleep. `endTurn` gives the lease
 * back. Every lease has a number that only grows: whoever comes with an older one changes nothing.
 */
import type { Clock, Scope, Vault } from '../base/index.ts'
import type { Dataset, DatasetRegistry, Selection } from '../datasets/index.ts'
import type { Db } from '../db/index.ts'
import type { Destination } from '../destinations/index.ts'
import type { Pace, Window } from './window.ts'

export type TurnNeeds = {
  readonly db: Db
  readonly now: Clock
  readonly vault: Vault
  readonly datasets: DatasetRegistry
  readonly intervalSeconds: number
  readonly leaseSeconds: number
  /** 0: a failing job tries forever. */
  readonly disableAfterHours: number
}

export type Turn = {
  readonly job: number
  readonly holder: string
  readonly lease: number
  readonly scope: Scope
  readonly dataset: Dataset
  readonly selection: Selection
  readonly maxRecords: number
  readonly maxBytes: number | null
  readonly destination: Destination
  readonly signingSecrets: readonly string[]
  readonly window: Window & { readonly id: number; readonly purpose: 'export' | 'backfill' | 'repair' }
  readonly pace: Pace
  readonly failures: number
}

export type Ending =
  | { readonly kind: 'complete'; readonly rows: number }
  /** The window stays begun and is tried again; `afterMs` is what the destination asked for. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs?: number }
  /** Not the destination's doing: the record store was not ready. Nobody is blamed. */
  | { readonly kind: 'postponed'; readonly afterMs: number }
