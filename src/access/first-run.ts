/** The first start on an empty database: one account, one zone, and one super administrator with a key. */
import { hashSecret, newId, toMoment } from '../base/index.ts'
import { isTaken } from '../db/index.ts'
import { record } from './audit.ts'
import { type AccessNeeds, theService } from './callers.ts'
import { newKey } from './members.ts'

export type FirstRun = {
  readonly email: string
  readonly key: string
  readonly account_id: string
  readonly zone_id: string
}

/**
 * What was made, with the key in clear for the only time; undefined when the database already has a user. `keep` is called
 * before the commit: a kill in between leaves a file without a tenant, which the next start overwrites, never the reverse.
 */
export async function makeFirstTenant(
  { db, now }: AccessNeeds,
  keep: (made: FirstRun) => void,
): Promise<FirstRun | undefined> {
  const made = db.transaction().execute(async (trx) => {
    const someone = await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()
    if (someone) return undefined
    const at = now()
    const moment = toMoment(at)
    const [account, zone, user] = [newId(), newId(), newId()]
    const email = 'admin@spillway.local'
    const key = newKey()
    await trx
      .insertInto('users')
      .values({ id: user, email, key_hash: hashSecret(key), is_super: 1, created_on: moment })
      .execute()
    await trx.insertInto('accounts').values({ id: account, name: 'First account', created_on: moment }).execute()
    await trx
      .insertInto('members')
      .values({ id: newId(), account_id: account, user_id: user, role: 'administrator', created_on: moment })
      .execute()
    await trx
      .insertInto('zones')
      .values({ id: zone, account_id: account, name: 'example.com', created_on: moment, modified_on: moment })
      .execute()
    const accountScope = { kind: 'account', id: account, account } as const
    const zoneScope = { kind: 'zone', id: zone, account } as const
    const made = { caller: theService, at, action: 'create' } as const
    await record(trx, {
      ...made,
      scope: accountScope,
      resource: { type: 'account', id: account },
      new: { name: 'First account' },
    })
    await record(trx, {
      ...made,
      scope: accountScope,
      resource: { type: 'user', id: user },
      new: { email, super_administrator: true },
    })
    await record(trx, { ...made, scope: zoneScope, resource: { type: 'zone', id: zone }, new: { name: 'example.com' } })
    const first = { email, key, account_id: account, zone_id: zone }
    keep(first)
    return first
  })
  return made.catch((error) => {
    // Another process of the cluster was first.
    if (isTaken(error, 'email')) return undefined
    throw error
  })
}
