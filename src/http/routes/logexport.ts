/** Log export jobs, their destinations and their datasets' fields. */
import { problems, type Scope } from '../../base/index.ts'
import { logexport } from '../../contract/index.ts'
import { type Dataset, fieldList } from '../../datasets/index.ts'
import * as jobs from '../../jobs/index.ts'
import type { Bind } from '../bind.ts'
import { rulesFor } from '../dialect.ts'

export function bindLogexport(bind: Bind, needs: jobs.JobNeeds): void {
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
}
