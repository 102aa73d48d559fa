/** The user behind a request: who it is, and a new key when the old one may be known to others. */
import { hashSecret, problems, showMoment } from '../base/index.ts'
import { prepared } from '../db/index.ts'
import { record } from './audit.ts'
import type { AccessNeeds, Caller } from './callers.ts'
import { newKey } from './members.ts'
import { sees } from './permissions.ts'

export async function viewUser({ db }: AccessNeeds, caller: Caller) {
  const [user] = await userById(db, caller.user.id)
  if (!user) throw problems.notPermitted()
  const organizations = await organizationsOf(db, user.id)
  // A token shows its own account, and that only when it is good for the whole of it.
  const visible = organizations.filter(({ id }) => sees(caller, { kind: 'account', id, account: id }))
  return {
    id: user.id,
    email: user.email,
    first_name: null,
    last_name: null,
    suspended: false,
    two_factor_authentication_enabled: false,
    super_administrator: user.is_super === 1,
    organizations: visible.map(({ id, name, role }) => ({
      id,
      name,
      status: 'member',
      roles: [role],
      permissions: [] as string[],
    })),
    created_on: showMoment(user.created_on),
  }
}

const userById = prepared((db, id: string) => db.selectFrom('users').selectAll().where('id', '=', id))

const organizationsOf = prepared((db, user: string) =>
  db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['accounts.id', 'accounts.name', 'members.role'])
    .where('members.user_id', '=', user)
    .orderBy('accounts.created_on'),
)

/** Replaces the caller's API key; the old one ends at once. */
export async function rollKey({ db, now }: AccessNeeds, caller: Caller): Promise<{ api_key: string }> {
  const key = newKey()
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('users')
      .set({ key_hash: hashSecret(key) })
      .where('id', '=', caller.user.id)
      .execute()
    // A user belongs to no account alone: the entry is found through the actor.
    await record(trx, {
      caller,
      at: now(),
      scope: null,
      action: 'update',
      resource: { type: 'user_key', id: caller.user.id },
    })
  })
  return { api_key: key }
}
