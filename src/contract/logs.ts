/** Records: taken in, and read back. */
import { Type } from 'typebox'
import { operation } from './operation.ts'

const tag = 'Logs'
const text = Type.Optional(Type.String({ maxLength: 4096 }))

export const ingest = operation({
  id: 'ingest',
  summary: 'Take records in: NDJSON or a JSON array, plain, gzip or zstd; answered after the durable commit',
  tag,
  method: 'POST',
  place: 'both',
  path: '/logs/ingest/{dataset}',
  allowed: 'logs:ingest',
  params: Type.Object({ dataset: Type.String({ maxLength: 256 }) }),
  body: Type.Unknown(),
  result: Type.Object({
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    unknown_fields: Type.Record(Type.String(), Type.Integer()),
    errors: Type.Array(Type.Object({ line: Type.Integer(), message: Type.String() })),
  }),
  stream: 'in',
  rateLimited: false,
})

/** Judged by log fetch itself, whose errors are plain text. */
const fetchQuery = Type.Object({
  start: text,
  end: text,
  fields: text,
  sample: text,
  timestamps: text,
  count: text,
  'CVE-2021-44228': text,
  filter: text,
  dataset: text,
})

export const received = operation({
  id: 'logsReceived',
  summary: 'Records by the time they were received, as NDJSON',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logs/received',
  allowed: 'logs:read',
  query: fetchQuery,
  stream: 'out',
})

export const receivedFields = operation({
  id: 'logsReceivedFields',
  summary: 'Fields that log fetch can give, without the envelope',
  tag,
  method: 'GET',
  place: 'both',
  path: '/logs/received/fields',
  allowed: 'logs:read',
  query: Type.Object({ dataset: text }),
  stream: 'out',
})

export const byRay = operation({
  id: 'logsByRay',
  summary: 'The records of one request, by its ray id',
  tag,
  method: 'GET',
  place: 'zone',
  path: '/logs/rayids/{ray_id}',
  allowed: 'logs:read',
  params: Type.Object({ ray_id: Type.String({ maxLength: 64 }) }),
  query: Type.Object({ fields: text, timestamps: text, 'CVE-2021-44228': text }),
  stream: 'out',
})

export const retentionFlag = operation({
  id: 'viewRetentionFlag',
  summary: 'Whether records of the zone are kept for log fetch',
  tag,
  method: 'GET',
  place: 'zone',
  path: '/logs/control/retention/flag',
  allowed: 'logs:read',
  result: Type.Object({ flag: Type.Boolean() }),
})

export const setRetentionFlag = operation({
  id: 'setRetentionFlag',
  summary: 'Keep records of the zone for log fetch, or refuse to serve them',
  tag,
  method: 'POST',
  place: 'zone',
  path: '/logs/control/retention/flag',
  allowed: 'logs:edit',
  body: Type.Object({ flag: Type.Boolean() }, { additionalProperties: false }),
  result: Type.Object({ flag: Type.Boolean() }),
})
