/** Log export: jobs, ownership, and the checks before a job is made. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { nullable, oneOf, strict, time } from './words.ts'

const conf = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'where records go, such as s3://bucket/logs/{DATE}?region=eu-west-1',
})
/** No pattern: whatever is not a token of ours gets the one answer that a wrong token gets. */
const challenge = Type.String({ maxLength: 4096, description: 'the token in the challenge file' })
const datasetName = Type.String({ maxLength: 256, pattern: String.raw`^[a-zA-Z0-9_\-]*$` })
const ceiling = nullable(Type.Integer({ minimum: 0 }))

const settable = {
  ownership_challenge: Type.Optional(nullable(challenge)),
  dataset: Type.Optional(nullable(datasetName)),
  name: Type.Optional(nullable(Type.String({ maxLength: 512, pattern: String.raw`^[a-zA-Z0-9\-.]*$` }))),
  enabled: Type.Optional(nullable(Type.Boolean())),
  kind: Type.Optional(nullable(oneOf(['', 'edge']))),
  logfetch_options: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
  output_options: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  filter: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
  frequency: Type.Optional(nullable(oneOf(['high', 'low']))),
  max_upload_bytes: Type.Optional(ceiling),
  max_upload_records: Type.Optional(ceiling),
  max_upload_interval_seconds: Type.Optional(ceiling),
}

const job = Type.Object({
  id: Type.Integer(),
  dataset: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  kind: Type.String(),
  destination_conf: Type.String(),
  logfetch_options: nullable(Type.String()),
  output_options: nullable(Type.Record(Type.String(), Type.Unknown())),
  filter: Type.String(),
  frequency: nullable(Type.String()),
  max_upload_bytes: nullable(Type.Integer()),
  max_upload_records: nullable(Type.Integer()),
  max_upload_interval_seconds: nullable(Type.Integer()),
  last_complete: nullable(time),
  last_error: nullable(time),
  error_message: nullable(Type.String()),
})

const tag = 'Log export'
const jobParams = Type.Object({ job_id: Type.Integer({ minimum: 1 }) })
const datasetParams = Type.Object({ dataset: Type.String({ maxLength: 256 }) })

export const listJobs = operation({
  id: 'listJobs',
  summary: 'Export jobs of the scope',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/jobs',
  allowed: 'logs:read',
  result: Type.Array(job),
})

export const createJob = operation({
  id: 'createJob',
  summary: 'Make an export job for a destination whose ownership is proven',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/jobs',
  allowed: 'logs:edit',
  body: strict({ destination_conf: conf, ...settable }),
  result: job,
  status: 201,
})

export const viewJob = operation({
  id: 'viewJob',
  summary: 'One export job',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/jobs/{job_id}',
  allowed: 'logs:read',
  params: jobParams,
  result: job,
})

export const updateJob = operation({
  id: 'updateJob',
  summary: 'Change an export job; fields that are left out stay',
  tag,
  method: 'PUT',
  place: 'both',
  path: '/logexport/jobs/{job_id}',
  allowed: 'logs:edit',
  params: jobParams,
  body: strict({ destination_conf: Type.Optional(conf), ...settable }),
  result: job,
})

export const deleteJob = operation({
  id: 'deleteJob',
  summary: 'Delete an export job; its destination is free again',
  tag,
  method: 'DELETE',
  place: 'both',
  path: '/logexport/jobs/{job_id}',
  allowed: 'logs:edit',
  params: jobParams,
  result: Type.Object({ id: Type.Integer() }),
})

const signing = Type.Object({ secrets: Type.Array(Type.String(), { description: 'newest first' }) })

export const viewSigning = operation({
  id: 'viewSigning',
  summary: 'The secrets that requests of a job to an HTTPS receiver are signed with',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/jobs/{job_id}/signing',
  allowed: 'logs:edit',
  params: jobParams,
  result: signing,
})

export const rotateSigning = operation({
  id: 'rotateSigning',
  summary: 'Sign with a new secret, and with the one before it until the next rotation',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/jobs/{job_id}/signing/rotate',
  allowed: 'logs:edit',
  params: jobParams,
  result: signing,
})

export const listDatasetJobs = operation({
  id: 'listDatasetJobs',
  summary: 'Export jobs of one dataset',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/datasets/{dataset}/jobs',
  allowed: 'logs:read',
  params: datasetParams,
  result: Type.Array(job),
})

const fieldMap = Type.Record(Type.String(), Type.String(), { description: 'field name to "<type>; <description>"' })

export const listFields = operation({
  id: 'listFields',
  summary: 'All fields of a dataset',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/datasets/{dataset}/fields',
  allowed: 'logs:read',
  params: datasetParams,
  result: fieldMap,
})

export const listDefaultFields = operation({
  id: 'listDefaultFields',
  summary: 'The fields a job exports when it names none',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/datasets/{dataset}/fields/default',
  allowed: 'logs:read',
  params: datasetParams,
  result: fieldMap,
})

export const issueChallenge = operation({
  id: 'issueChallenge',
  summary: 'Write an ownership challenge to a destination',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/ownership',
  allowed: 'logs:edit',
  body: strict({ destination_conf: conf }),
  result: Type.Object({ valid: Type.Boolean(), message: Type.String(), filename: Type.String() }),
})

export const validateChallenge = operation({
  id: 'validateChallenge',
  summary: 'Tell whether a challenge token proves ownership',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/ownership/validate',
  allowed: 'logs:edit',
  body: strict({ destination_conf: conf, ownership_challenge: challenge }),
  result: Type.Object({ valid: Type.Boolean() }),
})

export const checkDestination = operation({
  id: 'checkDestination',
  summary: 'Try to write to a destination',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/validate/destination',
  allowed: 'logs:edit',
  body: strict({ destination_conf: conf }),
  result: Type.Object({ valid: Type.Boolean(), message: Type.String() }),
})

export const destinationExists = operation({
  id: 'destinationExists',
  summary: 'Tell whether a job already writes to a destination',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/validate/destination/exists',
  allowed: 'logs:edit',
  body: strict({ destination_conf: conf }),
  result: Type.Object({ exists: Type.Boolean() }),
})

export const judgeOrigin = operation({
  id: 'judgeOrigin',
  summary: 'Tell whether options fit a dataset',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/validate/origin',
  allowed: 'logs:read',
  body: strict({ logfetch_options: Type.String({ maxLength: 4096 }), dataset: Type.Optional(nullable(datasetName)) }),
  result: Type.Object({ valid: Type.Boolean(), message: Type.String() }),
})

const delivery = Type.Object({
  id: Type.Integer(),
  purpose: Type.String(),
  window: Type.Object({ from: time, to: time, state: Type.String() }),
  part: Type.Integer(),
  destination: nullable(Type.String({ description: 'the place it went to, without secrets' })),
  object: Type.String(),
  options_version: Type.Integer(),
  rows: Type.Integer(),
  raw_bytes: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Type.String(),
  attempts: Type.Integer(),
  last_status: nullable(Type.Integer()),
  outcome: Type.String({ description: 'pending, delivered, retry, refused, or lost at the disk ceiling' }),
  reason: nullable(Type.String()),
  first_attempt: nullable(time),
  last_attempt: nullable(time),
})

export const listDeliveries = operation({
  id: 'listDeliveries',
  summary: 'What a job delivered and how it went, newest first',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/jobs/{job_id}/deliveries',
  allowed: 'logs:read',
  params: jobParams,
  query: Type.Object({
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
    per_page: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
  }),
  result: Type.Array(delivery),
  pages: 'cursor',
})

export const jobStatus = operation({
  id: 'jobStatus',
  summary: 'How a job is doing: how far behind, what is under way, and when its next turn is',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/jobs/{job_id}/status',
  allowed: 'logs:read',
  params: jobParams,
  result: Type.Object({
    id: Type.Integer(),
    enabled: Type.Boolean(),
    lag_seconds: Type.Number({ description: 'age of the oldest record that is owed; 0 for a job that owes nothing' }),
    owed_from: nullable(time),
    next_turn: nullable(time),
    failures: Type.Integer({ description: 'failed turns since the last success' }),
    failing_since: nullable(time),
    error_message: nullable(Type.String()),
    open_windows: Type.Integer({ description: 'begun and not yet delivered' }),
    waiting_windows: Type.Integer({ description: 'asked for by a backfill or a repair, and not yet begun' }),
    last_delivery: nullable(delivery),
  }),
})

const range = strict({ start: time, end: time })

export const backfill = operation({
  id: 'backfill',
  summary: 'Export a past range again; object stores end up with one copy',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/jobs/{job_id}/backfill',
  allowed: 'logs:edit',
  params: jobParams,
  body: range,
  result: Type.Object({ windows: Type.Integer() }),
})

export const cancelBackfill = operation({
  id: 'cancelBackfill',
  summary: 'Take back what a backfill has not begun yet',
  tag,
  method: 'DELETE',
  place: 'both',
  path: '/logexport/jobs/{job_id}/backfill',
  allowed: 'logs:edit',
  params: jobParams,
  result: Type.Object({ cancelled: Type.Integer() }),
})

export const auditJob = operation({
  id: 'auditJob',
  summary: 'Compare the stored records of a range with the receipts and the objects, and name the gaps',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logexport/jobs/{job_id}/audit',
  allowed: 'logs:edit',
  params: jobParams,
  body: strict({ start: time, end: time, repair: Type.Optional(Type.Boolean()) }),
  result: Type.Object({
    stored: Type.Integer({ description: 'records the range should have delivered' }),
    delivered: Type.Integer({ description: 'records of which there is a receipt, and whose object is not missing' }),
    complete: Type.Boolean(),
    gaps: Type.Array(Type.Object({ from: time, to: time, stored: Type.Integer(), delivered: Type.Integer() })),
    objects: Type.Object({
      looked: Type.Integer({ description: 'objects that the destination let us look at' }),
      seen: Type.Integer({ description: 'objects that are there as they were written' }),
      missing: Type.Array(Type.String(), { description: 'objects that are gone or changed; the first 1,000' }),
      hidden: Type.Integer({ description: 'objects that could not be looked at' }),
      reason: nullable(Type.String({ description: 'why the first of those could not' })),
    }),
    repairing: Type.Integer({ description: 'windows queued to be exported again' }),
  }),
})
