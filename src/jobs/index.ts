/** Export jobs: what they are, whose destination it is, and when each has its turn. */
export { checkDestination, destinationExists, judgeOrigin } from './checks.ts'
export { type JobNeeds, type Ownership, scopeOf } from './job.ts'
export { createJob, deleteJob, listJobs, updateJob, viewJob } from './jobs.ts'
export { issueChallenge, provesOwnership } from './ownership.ts'
