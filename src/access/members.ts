/** Members: users of an account, each with one role there. A new address becomes a user with a key of its own. */
import { randomBytes } from 'node:crypto'
import { hashSecret, newId, problems, type Scope, showMoment, toMoment } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { record } from './audit.ts'
import { type AccessNeeds, type Caller, isEmail } from './callers.ts'
import { may, type Role, roles } from './permissions.ts'

type Row = { id: string; role: string; created_on: string; user_id: string; email: string }

const view = (row: Row) => ({
  id: row.id,
  user: { id: row.user_id, email: row.email },
  email: row.email,
  status: 'accepted',
  roles: [{ id: row.role, name: row.role }],
  created_on: showMoment(row.created_on),
})
export type Member = ReturnType<typeof view>

/** A key has the shape that existing clients check: 37 hex digits, 148 bits of chance. */
export const newKey = (): string => randomBytes(19).toString('hex').slice(1)

export async function listMembers({ db }: AccessNeeds, scope: Scope): Promise<Member[]> {
  const rows = await membersOf(db, scope).orderBy('members.created_on').orderBy('members.id').execute()
  return rows.map(view)
}

const membersOf = (db: Db, scope: Scope) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.id', 'members.role', 'members.created_on', 'members.user_id', 'users.email'])
    .where('members.account_id', '=', scope.account)

export type MemberDraft = { readonly email: string; readonly role: Role }

/** The member, and the API key of the user when the address was new: it is shown this once. */
export async function addMember(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  draft: MemberDraft,
): Promise<Member & { api_key?: string }> {
  const email = draft.email.toLowerCase()
  if (!isEmail(email))
    throw problems.invalid([{ message: `'${draft.email}' is not an e-mail address`, pointer: '/email' }])
  // Nobody hands on what they do not hold.
  if (!roles[draft.role].every((permission) => may(caller, permission, scope))) throw problems.notPermitted()
  const at = now()
  const moment = toMoment(at)
  return db.transaction().execute(async (trx) => {
    const key = newKey()
    const fresh = { id: newId(), email, key_hash: hashSecret(key), is_super: 0 as const, created_on: moment }
    await trx
      .insertInto('users')
      .values(fresh)
      .onConflict((conflict) => conflict.column('email').doNothing())
      .execute()
    const user = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
    const row = { id: newId(), account_id: scope.account, user_id: user.id, role: draft.role, created_on: moment }
    const added = await trx
      .insertInto('members')
      .values(row)
      .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!added) throw problems.memberTaken(email)
    await record(trx, {
      caller,
      at,
      scope,
      action: 'create',
      resource: { type: 'member', id: row.id },
      new: { email, role: draft.role },
    })
    return { ...view({ ...row, email }), ...(user.id === fresh.id ? { api_key: key } : {}) }
  })
}

export async function changeRole(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  id: string,
  { role }: { readonly role: Role },
): Promise<Member> {
  if (!roles[role].every((permission) => may(caller, permission, scope))) throw problems.notPermitted()
  return db.transaction().execute(async (trx) => {
    const before = await membersOf(trx, scope).where('members.id', '=', id).executeTakeFirst()
    if (!before) throw problems.memberMissing()
    await trx.updateTable('members').set({ role }).where('id', '=', id).execute()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'update',
      resource: { type: 'member', id },
      old: { email: before.email, role: before.role },
      new: { email: before.email, role },
    })
    return view({ ...before, role })
  })
}

/** Ends the membership and every token the member made in this account: who leaves keeps no way in. */
export async function removeMember(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  id: string,
): Promise<{ id: string }> {
  return db.transaction().execute(async (trx) => {
    const member = await membersOf(trx, scope).where('members.id', '=', id).executeTakeFirst()
    if (!member) throw problems.memberMissing()
    await trx.deleteFrom('members').where('id', '=', id).execute()
    const ended = await trx
      .deleteFrom('tokens')
      .where('account_id', '=', scope.account)
      .where('user_id', '=', member.user_id)
      .returning('id')
      .execute()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'delete',
      resource: { type: 'member', id },
      old: { email: member.email, role: member.role },
      metadata: ended.length > 0 ? { revoked_tokens: ended.map((token) => token.id) } : {},
    })
    return { id }
  })
}
