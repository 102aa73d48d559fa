/** Accounts and their zones. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { gone, id, name, oneOf, pageQuery, strict, time } from './words.ts'

const directed = { direction: Type.Optional(oneOf(['asc', 'desc'])) }

const account = Type.Object({
  id,
  name: Type.String(),
  type: Type.String(),
  settings: Type.Object({ enforce_twofactor: Type.Boolean() }),
  created_on: time,
})

export const listAccounts = operation({
  id: 'listAccounts',
  summary: 'Accounts the caller can see',
  tag: 'Accounts',
  method: 'GET',
  place: 'none',
  path: '/accounts',
  allowed: 'anyone',
  query: Type.Object({ ...pageQuery(20, 50), ...directed, name: Type.Optional(Type.String()) }),
  result: Type.Array(account),
  pages: 'numbered',
})

export const createAccount = operation({
  id: 'createAccount',
  summary: 'Make an account (super administrators)',
  tag: 'Accounts',
  method: 'POST',
  place: 'none',
  path: '/accounts',
  allowed: 'anyone',
  only: 'super',
  body: strict({ name, type: Type.Optional(Type.String()) }),
  result: account,
})

export const viewAccount = operation({
  id: 'viewAccount',
  summary: 'One account',
  tag: 'Accounts',
  method: 'GET',
  place: 'account',
  path: '',
  allowed: 'anyone',
  result: account,
})

export const updateAccount = operation({
  id: 'updateAccount',
  summary: 'Rename an account',
  tag: 'Accounts',
  method: 'PUT',
  place: 'account',
  path: '',
  allowed: 'account:admin',
  body: strict({ name, type: Type.Optional(Type.String()), settings: Type.Optional(Type.Object({})) }),
  result: account,
})

export const deleteAccount = operation({
  id: 'deleteAccount',
  summary: 'Delete an account that has no zones left (super administrators)',
  tag: 'Accounts',
  method: 'DELETE',
  place: 'account',
  path: '',
  allowed: 'account:admin',
  only: 'super',
  result: gone,
})

const zone = Type.Object({
  id,
  name: Type.String(),
  status: Type.String(),
  paused: Type.Boolean(),
  type: Type.String(),
  development_mode: Type.Integer(),
  name_servers: Type.Array(Type.String()),
  original_name_servers: Type.Null(),
  original_registrar: Type.Null(),
  original_dnshost: Type.Null(),
  account: Type.Object({ id, name: Type.String() }),
  owner: Type.Object({ id, name: Type.String(), type: Type.String() }),
  permissions: Type.Array(Type.String()),
  created_on: time,
  modified_on: time,
  activated_on: time,
})

export const listZones = operation({
  id: 'listZones',
  summary: 'Zones the caller can see',
  tag: 'Zones',
  method: 'GET',
  place: 'none',
  path: '/zones',
  allowed: 'anyone',
  query: Type.Object({
    ...pageQuery(20, 50),
    ...directed,
    name: Type.Optional(
      Type.String({ description: 'a name, or starts_with:, ends_with: or contains: and a part of one' }),
    ),
    'account.id': Type.Optional(Type.String()),
    'account.name': Type.Optional(Type.String()),
    status: Type.Optional(oneOf(['active', 'pending', 'initializing', 'moved'], 'every zone here is active')),
    order: Type.Optional(
      oneOf(['name', 'status', 'account.id', 'account.name', 'plan.id'], 'by age unless said; plans do not exist here'),
    ),
    match: Type.Optional(oneOf(['any', 'all'], 'whether one filter is enough; all unless said')),
  }),
  result: Type.Array(zone),
  pages: 'numbered',
})

export const createZone = operation({
  id: 'createZone',
  summary: 'Add a zone to an account',
  tag: 'Zones',
  method: 'POST',
  place: 'none',
  path: '/zones',
  allowed: 'account:admin',
  inAccount: true,
  body: strict({
    name: Type.String({ minLength: 1, maxLength: 253 }),
    account: strict({ id }),
    type: Type.Optional(Type.String()),
    jump_start: Type.Optional(Type.Boolean()),
  }),
  result: zone,
})

export const viewZone = operation({
  id: 'viewZone',
  summary: 'One zone',
  tag: 'Zones',
  method: 'GET',
  place: 'zone',
  path: '',
  allowed: 'anyone',
  result: zone,
})

export const deleteZone = operation({
  id: 'deleteZone',
  summary: 'Delete a zone with its jobs and rulesets',
  tag: 'Zones',
  method: 'DELETE',
  place: 'zone',
  path: '',
  allowed: 'account:admin',
  inAccount: true,
  result: gone,
})
