/** Log export jobs, their destinations and their datasets' fields. */
import { fromRfc3339, problems, type Scope, toMoment } from '../../base/index.ts'
import { logexport } from '../../contract/index.ts'
import { type Dataset, fieldList } from '../../datasets/index.ts'
import * as jobs from '../../jobs/index.ts'
import { countPerWindow, type LogNeeds } from '../../logs/index.ts'
import type { Bind } from '../bind.ts'
import { rulesFor } from '../dialect.ts'

export type LogexportNeeds = { readonly jobs: jobs.JobNeeds; readonly logs: LogNeeds }

export function bindLogexport(bind: Bind, { jobs: needs, logs }: LogexportNeeds): void {
  const dataset = (name: string, scope: Scope): Dataset => {
    const found = needs.datasets.find(name, scope.kind)
    if (!found) throw problems.datasetUnknown(name, scope.kind)
    return found
  }

  bind(logexport.listJobs, ({ scope }, caller) => jobs.listJobs(needs, caller, scope))
  bind(logexport.createJob, ({ scope, body, dialect }, caller) =>
    jobs.createJob(needs, caller, scope, body, rulesFor(dialect, needs)),
  )
  bind(logexport.viewJob, ({ scope, params }, caller) => jobs.viewJob(needs, caller, scope, params.job_id))
  bind(logexport.updateJob, ({ scope, params, body, dialect }, caller) =>
    jobs.updateJob(needs, caller, scope, params.job_id, body, rulesFor(dialect, needs)),
  )
  bind(logexport.deleteJob, ({ scope, params }, caller) => jobs.deleteJob(needs, caller, scope, params.job_id))
  bind(logexport.viewSigning, ({ scope, params }) => jobs.viewSigning(needs, scope, params.job_id))
  bind(logexport.rotateSigning, ({ scope, params }, caller) => jobs.rotateSigning(needs, caller, scope, params.job_id))
  bind(logexport.listDatasetJobs, ({ scope, params }, caller) => jobs.listJobs(needs, caller, scope, params.dataset))

  bind(logexport.listFields, ({ scope, params }) => fieldList(dataset(params.dataset, scope), 'all'))
  bind(logexport.listDefaultFields, ({ scope, params }) => fieldList(dataset(params.dataset, scope), 'default'))

  bind(logexport.issueChallenge, ({ scope, body }) => jobs.issueChallenge(needs, scope, body.destination_conf))
  bind(logexport.validateChallenge, ({ scope, body }) => ({
    valid: jobs.provesOwnership(needs, scope, body.destination_conf, body.ownership_challenge),
  }))
  bind(logexport.checkDestination, ({ body }) => jobs.checkDestination(needs, body.destination_conf))
  bind(logexport.destinationExists, async ({ body }) => ({
    exists: await jobs.destinationExists(needs, body.destination_conf),
  }))
  bind(logexport.judgeOrigin, ({ scope, body }) =>
    jobs.judgeOrigin(needs, scope, body.logfetch_options, body.dataset ?? undefined),
  )

  bind(logexport.listDeliveries, async ({ scope, params, query }) => ({
    ...(await jobs.listDeliveries(needs, scope, params.job_id, query)),
    perPage: query.per_page,
  }))
  bind(logexport.listJobStatuses, ({ scope }) => jobs.listStatuses(needs, scope))
  bind(logexport.jobStatus, ({ scope, params }) => jobs.jobStatus(needs, scope, params.job_id))
  bind(logexport.backfill, ({ scope, params, body }, caller) =>
    jobs.askAgain(needs, caller, scope, params.job_id, rangeOf(body), 'backfill'),
  )
  bind(logexport.cancelBackfill, ({ scope, params }) => jobs.cancelWaiting(needs, scope, params.job_id))

  const gaps: jobs.GapNeeds = {
    ...needs,
    count: (scope, dataset, selection, windows) => countPerWindow(logs, scope, dataset, windows, selection),
  }
  bind(logexport.auditJob, async ({ scope, params, body }, caller) => {
    const found = await jobs.auditJob(gaps, scope, params.job_id, rangeOf(body))
    const repairing = body.repair ? await jobs.repairGaps(gaps, caller, scope, params.job_id, found.gaps) : 0
    return {
      stored: found.stored,
      delivered: found.delivered,
      complete: found.gaps.length === 0,
      gaps: found.gaps.map((gap) => ({ ...gap, from: toMoment(gap.from), to: toMoment(gap.to) })),
      objects: { ...found.objects, missing: found.objects.missing.slice(0, 1000) },
      repairing,
    }
  })
}

function rangeOf(body: { readonly start: string; readonly end: string }): jobs.Range {
  const [start, end] = [fromRfc3339(body.start), fromRfc3339(body.end)]
  const reasons = [
    ...(start === undefined
      ? [{ message: 'start is not an RFC 3339 time such as 2026-11-15T00:00:00Z', pointer: '/start' }]
      : []),
    ...(end === undefined
      ? [{ message: 'end is not an RFC 3339 time such as 2026-11-15T00:00:00Z', pointer: '/end' }]
      : []),
    ...(start !== undefined && end !== undefined && start >= end
      ? [{ message: 'start is not before end', pointer: '/start' }]
      : []),
  ]
  if (start === undefined || end === undefined || reasons.length > 0) throw problems.invalid(reasons)
  return { start, end }
}
