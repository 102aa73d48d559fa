/** Live tail: a session on the records of a zone as they come in, read through a WebSocket. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { nullable, oneOf, strict } from './words.ts'

const tag = 'Log export'

const session = Type.Object({
  session_id: Type.String({ description: 'a secret: who has it can read the session' }),
  destination_conf: Type.String({ description: 'the address of the WebSocket; each message is NDJSON' }),
  fields: Type.String({ description: 'comma-separated' }),
  sample: Type.Integer({ description: 'one record in so many' }),
  filter: Type.String(),
  kind: Type.String(),
})

export const openTail = operation({
  id: 'openTail',
  summary: 'Open a session that shows records of the zone as they come in; one at a time per zone',
  tag,
  method: 'POST',
  place: 'zone',
  path: '/logexport/edge',
  allowed: 'logs:read',
  body: strict({
    fields: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
    sample: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
    filter: Type.Optional(nullable(Type.String({ maxLength: 4096 }))),
    kind: Type.Optional(nullable(oneOf(['instant-logs', '']))),
  }),
  result: session,
})

export const listTails = operation({
  id: 'listTails',
  summary: 'The session of the zone, if there is one',
  tag,
  method: 'GET',
  place: 'zone',
  path: '/logexport/edge',
  allowed: 'logs:read',
  result: Type.Array(session),
})
