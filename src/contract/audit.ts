/** The audit log, read by account or by user. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { oneOf, pageQuery, time } from './words.ts'

const entry = Type.Object({
  id: Type.String(),
  action: Type.Object({ type: Type.String(), result: Type.Boolean() }),
  actor: Type.Object({ id: Type.String(), email: Type.String(), ip: Type.String(), type: Type.String() }),
  interface: Type.String({ description: 'API, UI or CLI' }),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  oldValue: Type.String(),
  newValue: Type.String(),
  owner: Type.Object({ id: Type.String() }),
  resource: Type.Object({ id: Type.String(), type: Type.String() }),
  when: time,
})

const query = Type.Object({
  ...pageQuery(100, 1000),
  id: Type.Optional(Type.String()),
  'action.type': Type.Optional(Type.String()),
  'actor.ip': Type.Optional(Type.String({ description: 'an address or a CIDR block' })),
  'actor.email': Type.Optional(Type.String()),
  'zone.name': Type.Optional(Type.String()),
  since: Type.Optional(Type.String({ description: 'a date or an RFC 3339 time' })),
  before: Type.Optional(Type.String({ description: 'a date or an RFC 3339 time' })),
  direction: Type.Optional(oneOf(['asc', 'desc'])),
  export: Type.Optional(Type.Boolean({ description: 'CSV instead of JSON' })),
  hide_user_logs: Type.Optional(
    Type.Boolean({ description: 'without what users did to themselves, such as new keys' }),
  ),
})

export const listAccountAudit = operation({
  id: 'listAccountAudit',
  summary: 'What was done in an account, newest first',
  tag: 'Audit',
  method: 'GET',
  place: 'account',
  path: '/audit_logs',
  allowed: 'account:admin',
  query,
  result: Type.Array(entry),
  pages: 'numbered',
})

export const listUserAudit = operation({
  id: 'listUserAudit',
  summary: 'What the caller did, newest first',
  tag: 'Audit',
  method: 'GET',
  place: 'none',
  path: '/user/audit_logs',
  allowed: 'anyone',
  // In every account: more than a token of one account may see.
  only: 'key',
  query,
  result: Type.Array(entry),
  pages: 'numbered',
})
