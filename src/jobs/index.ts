/** Export jobs: what they are, whose destination it is, when each has its turn, and what was delivered. */
export { type ActivityNeeds, activityFrom, noteActivity, type Seen, wakeEarly, wakeOverslept } from './activity.ts'
export { askAgain, cancelWaiting, type Range } from './backfill.ts'
export { checkDestination, destinationExists, judgeOrigin } from './checks.ts'
export { judgeSelection, type OptionTexts } from './draft.ts'
export { makeFloors, type PublishedFloors } from './floors.ts'
export { type Audit, auditJob, type Gap, type GapNeeds, repairGaps } from './gaps.ts'
export { type JobNeeds, type Ownership, scopeOf } from './job.ts'
export { createJob, deleteJob, listJobs, updateJob, viewJob } from './jobs.ts'
export { type Lag, lags } from './lag.ts'
export { type Delivery, forgetBefore, listDeliveries, noteAttempt, noteParts, type Part } from './ledger.ts'
export { type LossNeeds, noteLosses } from './losses.ts'
export { makeRollCall, owedSince, type RollCall, type RollMemory } from './owed.ts'
export { issueChallenge, provesOwnership } from './ownership.ts'
export { rotateSigning, viewSigning } from './signing.ts'
export { jobStatus } from './status.ts'
export {
  dropLeases,
  type Ending,
  endTurn,
  newestWindowEnd,
  renewTurn,
  type Turn,
  type TurnNeeds,
  takeTurn,
} from './turns.ts'
