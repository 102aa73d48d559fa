/** Log export: jobs, ownership, and the checks before a job is made. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { jobParams, nullable, oneOf, strict, time } from './words.ts'

export * from './logexport-watch.ts'

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
