/** Users, members of accounts, and tokens; accounts and zones are in tenants.ts. */
import { Type } from 'typebox'
import type { Permission } from '../base/index.ts'
import { operation } from './operation.ts'
import { gone, id, name, nullable, oneOf, strict, time } from './words.ts'

export * from './tenants.ts'

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
