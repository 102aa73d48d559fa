/** Users, accounts, zones, members and tokens. */
import { Type } from 'typebox'
import type { Permission } from '../base/index.ts'
import { operation } from './operation.ts'
import { id, nullable, oneOf, pageQuery, strict, time } from './words.ts'

const permissionNames = [
  'account:admin',
  'logs:read',
  'logs:edit',
  'logs:ingest',
  'rulesets:read',
  'rulesets:edit',
  'edge:decide',
] as const satisfies readonly Permission[]
const roleNames = ['administrator', 'log share', 'log share reader', 'rulesets editor', 'read only'] as const

const name = Type.String({ minLength: 1, maxLength: 100, pattern: String.raw`\S` })
const gone = Type.Object({ id: Type.String() })
const directed = { direction: Type.Optional(oneOf(['asc', 'desc'])) }

const user = Type.Object({
  id,
  email: Type.String(),
  first_name: Type.Null(),
  last_name: Type.Null(),
  suspended: Type.Boolean(),
  two_factor_authentication_enabled: Type.Boolean(),
  super_administrator: Type.Boolean(),
  organizations: Type.Array(
    Type.Object({
      id,
      name: Type.String(),
      status: Type.String(),
      roles: Type.Array(Type.String()),
      permissions: Type.Array(Type.String()),
    }),
  ),
  created_on: time,
})

export const viewUser = operation({
  id: 'viewUser',
  summary: 'The user whose credentials came with the request',
  tag: 'User',
  method: 'GET',
  place: 'none',
  path: '/user',
  allowed: 'anyone',
  result: user,
})

export const rollKey = operation({
  id: 'rollKey',
  summary: "Replace the caller's API key; the old one ends at once",
  tag: 'User',
  method: 'POST',
  place: 'none',
  path: '/user/key',
  allowed: 'anyone',
  // A token must not outgrow itself.
  only: 'key',
  result: Type.Object({ api_key: Type.String() }),
})

export const verifyToken = operation({
  id: 'verifyToken',
  summary: 'Tell whether the API token of the request is good',
  tag: 'User',
  method: 'GET',
  place: 'none',
  path: '/user/tokens/verify',
  allowed: 'anyone',
  result: Type.Object({ id, status: Type.String(), expires_on: Type.Optional(time) }),
})

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

const member = Type.Object({
  id,
  user: Type.Object({ id, email: Type.String() }),
  email: Type.String(),
  status: Type.String(),
  roles: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  created_on: time,
  api_key: Type.Optional(Type.String({ description: 'The new user’s API key, shown this once' })),
})
const memberParams = Type.Object({ member_id: id })

export const listMembers = operation({
  id: 'listMembers',
  summary: 'Members of an account and their roles',
  tag: 'Members',
  method: 'GET',
  place: 'account',
  path: '/members',
  allowed: 'account:admin',
  result: Type.Array(member),
})

export const addMember = operation({
  id: 'addMember',
  summary: 'Give a user a role in the account; a new address gets a key, shown once',
  tag: 'Members',
  method: 'POST',
  place: 'account',
  path: '/members',
  allowed: 'account:admin',
  body: strict({ email: Type.String({ minLength: 3, maxLength: 320 }), role: oneOf(roleNames) }),
  result: member,
})

export const changeRole = operation({
  id: 'changeRole',
  summary: 'Change the role of a member',
  tag: 'Members',
  method: 'PUT',
  place: 'account',
  path: '/members/{member_id}',
  allowed: 'account:admin',
  params: memberParams,
  body: strict({ role: oneOf(roleNames) }),
  result: member,
})

export const removeMember = operation({
  id: 'removeMember',
  summary: 'End a membership and the tokens that the member made',
  tag: 'Members',
  method: 'DELETE',
  place: 'account',
  path: '/members/{member_id}',
  allowed: 'account:admin',
  params: memberParams,
  result: gone,
})

const token = Type.Object({
  id,
  name: Type.String(),
  status: Type.String(),
  permissions: Type.Array(oneOf(permissionNames)),
  zones: nullable(Type.Array(id)),
  issued_on: time,
  expires_on: nullable(time),
  value: Type.Optional(Type.String({ description: 'The secret, shown this once' })),
})

export const listTokens = operation({
  id: 'listTokens',
  summary: 'API tokens of an account',
  tag: 'Tokens',
  method: 'GET',
  place: 'account',
  path: '/tokens',
  allowed: 'account:admin',
  result: Type.Array(token),
})

export const createToken = operation({
  id: 'createToken',
  summary: 'Make an API token; its secret is in `value`, shown once',
  tag: 'Tokens',
  method: 'POST',
  place: 'account',
  path: '/tokens',
  allowed: 'account:admin',
  body: strict({
    name,
    permissions: Type.Array(oneOf(permissionNames), { minItems: 1, maxItems: 20 }),
    zones: Type.Optional(nullable(Type.Array(id, { minItems: 1, maxItems: 1000 }))),
    expires_on: Type.Optional(nullable(time)),
  }),
  result: token,
})

export const revokeToken = operation({
  id: 'revokeToken',
  summary: 'End an API token',
  tag: 'Tokens',
  method: 'DELETE',
  place: 'account',
  path: '/tokens/{token_id}',
  allowed: 'account:admin',
  params: Type.Object({ token_id: id }),
  result: gone,
})
