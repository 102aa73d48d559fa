/** Log export, watched: what a job delivered, how far it is, and what is missing; and a range asked for again. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { jobParams, nullable, strict, time } from './words.ts'

const tag = 'Log export'

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

const status = Type.Object({
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
})

export const listJobStatuses = operation({
  id: 'listJobStatuses',
  summary: 'How every job of the scope is doing, in one answer',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logexport/status',
  allowed: 'logs:read',
  result: Type.Array(status),
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
  result: status,
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
