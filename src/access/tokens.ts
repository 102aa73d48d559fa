/** API tokens of an account: some permissions, in the whole account or in some of its zones, shown once and kept as a hash. */
import {
  fromRfc3339,
  hashSecret,
  newId,
  newSecret,
  type Permission,
  problems,
  type Scope,
  showMoment,
  toMoment,
} from '../base/index.ts'
import type { TokensTable } from '../db/index.ts'
import { record } from './audit.ts'
import type { AccessNeeds, Caller } from './callers.ts'
import { may } from './permissions.ts'

const view = (row: Omit<TokensTable, 'token_hash'>) => ({
  id: row.id,
  name: row.name,
  status: 'active',
  permissions: JSON.parse(row.permissions) as Permission[],
  zones: row.zones === null ? null : (JSON.parse(row.zones) as string[]),
  issued_on: showMoment(row.created_on),
  expires_on: row.expires_on === null ? null : showMoment(row.expires_on),
})
export type Token = ReturnType<typeof view>

export async function listTokens({ db, now }: AccessNeeds, scope: Scope): Promise<Token[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('account_id', '=', scope.account)
    .orderBy('created_on')
    .orderBy('id')
    .execute()
  const moment = toMoment(now())
  return rows.map((row) => ({
    ...view(row),
    status: row.expires_on !== null && row.expires_on <= moment ? 'expired' : 'active',
  }))
}

export type TokenDraft = {
  readonly name: string
  readonly permissions: readonly Permission[]
  readonly zones?: readonly string[] | null
  readonly expires_on?: string | null
}

/** The token with its secret in `value`; it cannot be read again. */
export async function createToken(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  draft: TokenDraft,
): Promise<Token & { value: string }> {
  if (!draft.permissions.every((permission) => may(caller, permission, scope))) throw problems.notPermitted()
  const at = now()
  const expires = draft.expires_on == null ? null : fromRfc3339(draft.expires_on)
  if (expires === undefined || (expires !== null && expires <= at)) {
    throw problems.invalid([{ message: 'expires_on is not an RFC 3339 time in the future', pointer: '/expires_on' }])
  }
  const value = newSecret()
  return db.transaction().execute(async (trx) => {
    const zones = draft.zones == null ? null : [...new Set(draft.zones)]
    if (zones !== null) {
      const known = await trx
        .selectFrom('zones')
        .select('id')
        .where('account_id', '=', scope.account)
        .where('id', 'in', zones)
        .execute()
      const strange = zones.filter((id) => !known.some((zone) => zone.id === id))
      if (strange.length > 0) {
        throw problems.invalid(
          strange.map((id) => ({ message: `zone ${id} is not in this account`, pointer: '/zones' })),
        )
      }
    }
    const row: TokensTable = {
      id: newId(),
      account_id: scope.account,
      user_id: caller.user.id,
      name: draft.name,
      token_hash: hashSecret(value),
      permissions: JSON.stringify([...new Set(draft.permissions)]),
      zones: zones === null ? null : JSON.stringify(zones),
      created_on: toMoment(at),
      expires_on: expires === null ? null : toMoment(expires),
    }
    await trx.insertInto('tokens').values(row).execute()
    const token = view(row)
    await record(trx, { caller, at, scope, action: 'create', resource: { type: 'token', id: row.id }, new: token })
    return { ...token, value }
  })
}

export async function revokeToken(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  id: string,
): Promise<{ id: string }> {
  return db.transaction().execute(async (trx) => {
    const gone = await trx
      .deleteFrom('tokens')
      .where('account_id', '=', scope.account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (!gone) throw problems.tokenMissing()
    await record(trx, { caller, at: now(), scope, action: 'delete', resource: { type: 'token', id }, old: view(gone) })
    return { id }
  })
}
