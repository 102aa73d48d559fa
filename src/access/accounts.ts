/** Accounts: the tenants. */
import { newId, problems, type Scope, showMoment, toMoment } from '../base/index.ts'
import { type AccountsTable, isReferenced } from '../db/index.ts'
import { record } from './audit.ts'
import type { AccessNeeds, Caller } from './callers.ts'
import { type Direction, type Page, type Paged, paged } from './page.ts'

const view = (row: AccountsTable) => ({
  id: row.id,
  name: row.name,
  type: 'standard',
  settings: { enforce_twofactor: false },
  created_on: showMoment(row.created_on),
})
export type Account = ReturnType<typeof view>

const scopeOf = (id: string): Scope => ({ kind: 'account', id, account: id })

export async function listAccounts(
  { db }: AccessNeeds,
  caller: Caller,
  query: Page & { readonly name?: string; readonly direction?: Direction },
): Promise<Paged<Account>> {
  let accounts = db.selectFrom('accounts')
  if (!caller.isSuper) {
    const visible = caller.grants.filter((grant) => grant.zones === null).map((grant) => grant.account)
    accounts = accounts.where('id', 'in', visible.length > 0 ? visible : [''])
  }
  if (query.name !== undefined) accounts = accounts.where('name', '=', query.name)
  const { total } = await accounts.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await accounts
    .selectAll()
    .orderBy('created_on', query.direction)
    .orderBy('id', query.direction)
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute()
  return paged(rows.map(view), Number(total), query)
}

export async function viewAccount({ db }: AccessNeeds, scope: Scope): Promise<Account> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', scope.id).executeTakeFirst()
  if (!row) throw problems.accountMissing()
  return view(row)
}

export async function createAccount(
  { db, now }: AccessNeeds,
  caller: Caller,
  { name }: { readonly name: string },
): Promise<Account> {
  return db.transaction().execute(async (trx) => {
    const row = { id: newId(), name, created_on: toMoment(now()) }
    await trx.insertInto('accounts').values(row).execute()
    await record(trx, {
      caller,
      at: now(),
      scope: scopeOf(row.id),
      action: 'create',
      resource: { type: 'account', id: row.id },
      new: { name },
    })
    return view(row)
  })
}

export async function renameAccount(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  { name }: { readonly name: string },
): Promise<Account> {
  return db.transaction().execute(async (trx) => {
    const before = await trx.selectFrom('accounts').selectAll().where('id', '=', scope.id).executeTakeFirst()
    if (!before) throw problems.accountMissing()
    await trx.updateTable('accounts').set({ name }).where('id', '=', scope.id).execute()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'update',
      resource: { type: 'account', id: scope.id },
      old: { name: before.name },
      new: { name },
    })
    return view({ ...before, name })
  })
}

export async function deleteAccount({ db, now }: AccessNeeds, caller: Caller, scope: Scope): Promise<{ id: string }> {
  return db.transaction().execute(async (trx) => {
    const zone = await trx.selectFrom('zones').select('id').where('account_id', '=', scope.id).executeTakeFirst()
    if (zone) throw problems.accountNotEmpty()
    const gone = await trx
      .deleteFrom('accounts')
      .where('id', '=', scope.id)
      .returningAll()
      .executeTakeFirst()
      .catch((error) => {
        // A zone was added since the look above.
        throw isReferenced(error) ? problems.accountNotEmpty() : error
      })
    if (!gone) throw problems.accountMissing()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'delete',
      resource: { type: 'account', id: scope.id },
      old: { name: gone.name },
    })
    return { id: scope.id }
  })
}
