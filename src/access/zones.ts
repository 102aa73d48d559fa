/** Zones: the domains of an account, each in exactly one. */
import { domainToASCII } from 'node:url'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { newId, problems, type Scope, showMoment, toMoment } from '../base/index.ts'
import { type Db, isReferenced, isTaken, prepared, type ZonesTable } from '../db/index.ts'
import { record } from './audit.ts'
import { type AccessNeeds, type Caller, findScope } from './callers.ts'
import { type Direction, type Page, type Paged, paged } from './page.ts'
import { may } from './permissions.ts'

type Row = Omit<ZonesTable, 'log_retention' | 'edge_failure'> & { account_name: string }

/** Besides our own fields, those that existing clients insist on; they never change here. */
const view = (row: Row) => ({
  id: row.id,
  name: row.name,
  status: 'active',
  paused: false,
  type: 'full',
  development_mode: 0,
  name_servers: [] as string[],
  original_name_servers: null,
  original_registrar: null,
  original_dnshost: null,
  account: { id: row.account_id, name: row.account_name },
  owner: { id: row.account_id, name: row.account_name, type: 'organization' },
  permissions: [] as string[],
  created_on: showMoment(row.created_on),
  modified_on: showMoment(row.modified_on),
  activated_on: showMoment(row.created_on),
})
export type Zone = ReturnType<typeof view>

const zonesOf = (db: Db) => db.selectFrom('zones').innerJoin('accounts', 'accounts.id', 'zones.account_id')

export type ZoneQuery = Page & {
  readonly name?: string
  readonly 'account.id'?: string
  readonly 'account.name'?: string
  readonly status?: string
  readonly match?: 'any' | 'all'
  readonly order?: 'name' | 'status' | 'account.id' | 'account.name' | 'plan.id'
  readonly direction?: Direction
}

/** Every zone has the same status and no plan, so an order by those is the order by age. */
const orders = {
  name: 'zones.name',
  'account.id': 'zones.account_id',
  'account.name': 'accounts.name',
  status: 'zones.created_on',
  'plan.id': 'zones.created_on',
} as const

export async function listZones({ db }: AccessNeeds, caller: Caller, query: ZoneQuery): Promise<Paged<Zone>> {
  let zones = zonesOf(db)
  if (!caller.isSuper) {
    const accounts = caller.grants.filter((grant) => grant.zones === null).map((grant) => grant.account)
    const single = caller.grants.flatMap((grant) => grant.zones ?? [])
    zones = zones.where((eb) =>
      eb.or([
        eb('zones.account_id', 'in', accounts.length > 0 ? accounts : ['']),
        eb('zones.id', 'in', single.length > 0 ? single : ['']),
      ]),
    )
  }
  zones = zones.where((eb) => {
    const { name, status, 'account.id': account, 'account.name': owner } = query
    const filters = [
      ...(name === undefined ? [] : [nameIs(name)]),
      ...(account === undefined ? [] : [eb('zones.account_id', '=', account)]),
      ...(owner === undefined ? [] : [eb('accounts.name', '=', owner)]),
      // Every zone is active.
      ...(status === undefined ? [] : [eb('zones.id', status === 'active' ? '!=' : '=', '')]),
    ]
    return query.match === 'any' && filters.length > 0 ? eb.or(filters) : eb.and(filters)
  })
  const { total } = await zones.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await zones
    .selectAll('zones')
    .select('accounts.name as account_name')
    .orderBy(query.order ? orders[query.order] : 'zones.created_on', query.direction)
    .orderBy('zones.id', query.direction)
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute()
  return paged(rows.map(view), Number(total), query)
}

/** A whole name, or a part of one with the word for where it stands. */
function nameIs(asked: string): RawBuilder<SqlBool> {
  const name = sql.ref('zones.name')
  const [, where, part = ''] = /^(starts_with|ends_with|contains|equal):(.*)$/s.exec(asked) ?? []
  if (!where || where === 'equal') return sql`${name} = ${zoneName(where ? part : asked)}`
  const literal = part.toLowerCase().replaceAll(/[!%_]/g, '!$&')
  const pattern = `${where === 'starts_with' ? '' : '%'}${literal}${where === 'ends_with' ? '' : '%'}`
  return sql`${name} like ${pattern} escape '!'`
}

export async function viewZone({ db }: AccessNeeds, scope: Scope): Promise<Zone> {
  const [row] = await zoneById(db, scope.id)
  if (!row) throw problems.zoneMissing()
  return view(row)
}

const zoneById = prepared((db, id: string) =>
  zonesOf(db).selectAll('zones').select('accounts.name as account_name').where('zones.id', '=', id),
)

export type ZoneDraft = { readonly name: string; readonly account: { readonly id: string } }

export async function createZone(needs: AccessNeeds, caller: Caller, draft: ZoneDraft): Promise<Zone> {
  const { db, now } = needs
  const account = await findScope(needs, caller, 'account', draft.account.id)
  if (!may(caller, 'account:admin', account)) throw problems.notPermitted()
  const name = zoneName(draft.name)
  if (!isDomain(name)) {
    throw problems.invalid([{ message: `'${draft.name}' is not a domain name such as example.com`, pointer: '/name' }])
  }
  const at = now()
  const moment = toMoment(at)
  const row = { id: newId(), account_id: account.id, name, created_on: moment, modified_on: moment }
  try {
    return await db.transaction().execute(async (trx) => {
      await trx.insertInto('zones').values(row).execute()
      await record(trx, {
        caller,
        at,
        scope: { kind: 'zone', id: row.id, account: account.id },
        action: 'create',
        resource: { type: 'zone', id: row.id },
        new: { name },
      })
      return viewZone({ db: trx, now }, { kind: 'zone', id: row.id, account: account.id })
    })
  } catch (error) {
    if (isTaken(error)) throw problems.zoneTaken(name)
    if (isReferenced(error)) throw problems.accountMissing()
    throw error
  }
}

export async function deleteZone({ db, now }: AccessNeeds, caller: Caller, scope: Scope): Promise<{ id: string }> {
  return db.transaction().execute(async (trx) => {
    const zone = await trx.selectFrom('zones').selectAll().where('id', '=', scope.id).executeTakeFirst()
    if (!zone) throw problems.zoneMissing()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'delete',
      resource: { type: 'zone', id: scope.id },
      old: { name: zone.name },
    })
    await trx.deleteFrom('zones').where('id', '=', scope.id).execute()
    return { id: scope.id }
  })
}

/** Whether log fetch serves the zone's records. */
export async function retentionFlag({ db }: AccessNeeds, scope: Scope): Promise<boolean> {
  const zone = await db.selectFrom('zones').select('log_retention').where('id', '=', scope.id).executeTakeFirst()
  return zone?.log_retention !== 0
}

export async function setRetentionFlag(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  flag: boolean,
): Promise<{ flag: boolean }> {
  return db.transaction().execute(async (trx) => {
    const before = await retentionFlag({ db: trx, now }, scope)
    await trx
      .updateTable('zones')
      .set({ log_retention: flag ? 1 : 0 })
      .where('id', '=', scope.id)
      .execute()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'update',
      resource: { type: 'log_retention', id: scope.id },
      old: { flag: before },
      new: { flag },
    })
    return { flag }
  })
}

/** Names are kept in lower case and in their ASCII form, so that one domain has one spelling. */
const zoneName = (text: string): string =>
  // What would end or change a host in an address is no part of a name; the parser would quietly drop it.
  (/[\s/?#@:%\\]/.test(text) ? '' : domainToASCII(text.replace(/\.$/, ''))) || text.toLowerCase()

const isDomain = (name: string): boolean =>
  name.length <= 253 &&
  /^(?!\d+(\.\d+)*$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)+$/.test(name)
