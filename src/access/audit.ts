/**
 * The audit log: an entry is written inside the transaction of the command that acts, so that neither stands without the
 * other. Nothing changes or deletes an entry. Whoever records an entry has already taken the secrets out of its values.
 */
import { randomUUID } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { fromRfc3339, type Nanos, problems, type Scope, showMoment, toMoment } from '../base/index.ts'
import type { AuditTable, Db } from '../db/index.ts'
import type { AccessNeeds, Caller } from './callers.ts'
import { type Page, type Paged, paged } from './page.ts'

export type AuditEntry = {
  readonly caller: Caller
  readonly at: Nanos
  /** Where it happened; null for what a user did to itself. */
  readonly scope: Scope | null
  readonly action: 'create' | 'update' | 'delete'
  readonly resource: { readonly type: string; readonly id: string }
  readonly old?: unknown
  readonly new?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
}

export async function record(trx: Db, entry: AuditEntry): Promise<void> {
  const { caller, scope } = entry
  const zone =
    scope?.kind === 'zone'
      ? await trx.selectFrom('zones').select('name').where('id', '=', scope.id).executeTakeFirst()
      : undefined
  await trx
    .insertInto('audit_logs')
    .values({
      id: randomUUID(),
      account_id: scope?.account ?? null,
      zone_id: scope?.kind === 'zone' ? scope.id : null,
      zone_name: zone?.name ?? null,
      actor_id: caller.user.id,
      actor_email: caller.user.email,
      actor_ip: caller.ip,
      actor_type: actorType(caller),
      credential_type: caller.credential.type,
      credential_id: caller.credential.id,
      credential_name: caller.credential.name,
      interface: caller.interface,
      action_type: entry.action,
      resource_type: entry.resource.type,
      resource_id: entry.resource.id,
      old_value: entry.old === undefined ? '' : JSON.stringify(entry.old),
      new_value: entry.new === undefined ? '' : JSON.stringify(entry.new),
      metadata: JSON.stringify(entry.metadata ?? {}),
      happened_at: toMoment(entry.at),
    })
    .execute()
}

function actorType(caller: Caller): string {
  if (caller.credential.type === 'service') return 'system'
  return caller.isSuper ? 'admin' : 'user'
}

export type AuditQuery = Page & {
  readonly id?: string
  readonly 'action.type'?: string
  readonly 'actor.ip'?: string
  readonly 'actor.email'?: string
  readonly 'zone.name'?: string
  readonly since?: string
  readonly before?: string
  readonly direction?: 'asc' | 'desc'
  readonly hide_user_logs?: boolean
}

/** Entries of an account, or of all that one user did, newest first unless asked otherwise. */
export async function listAudit(
  { db }: AccessNeeds,
  whose: { readonly account: string } | { readonly user: string },
  query: AuditQuery,
): Promise<Paged<ReturnType<typeof view>>> {
  let entries = db.selectFrom('audit_logs')
  entries =
    'account' in whose ? entries.where('account_id', '=', whose.account) : entries.where('actor_id', '=', whose.user)
  // What a user did to itself belongs to no account.
  if (query.hide_user_logs) entries = entries.where('account_id', 'is not', null)
  if (query.id !== undefined) entries = entries.where('id', '=', query.id)
  if (query['action.type'] !== undefined) entries = entries.where('action_type', '=', query['action.type'])
  if (query['actor.email'] !== undefined)
    entries = entries.where('actor_email', '=', query['actor.email'].toLowerCase())
  if (query['zone.name'] !== undefined) entries = entries.where('zone_name', '=', query['zone.name'].toLowerCase())
  if (query.since !== undefined) entries = entries.where('happened_at', '>=', moment(query.since, 'since'))
  if (query.before !== undefined) entries = entries.where('happened_at', '<', moment(query.before, 'before'))
  if (query['actor.ip'] !== undefined) {
    const isWanted = addressFilter(query['actor.ip'])
    const seen = await entries.select('actor_ip').distinct().execute()
    const wanted = seen.map((row) => row.actor_ip).filter(isWanted)
    // No entry has the address "-"; the service's own have none.
    entries = entries.where('actor_ip', 'in', wanted.length > 0 ? wanted : ['-'])
  }
  const { total } = await entries.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await entries
    .selectAll()
    .orderBy('number', query.direction ?? 'desc')
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute()
  return paged(rows.map(view), Number(total), query)
}

/** A date or an RFC 3339 time, as the text that moments are stored as. */
function moment(text: string, name: string): string {
  const at = fromRfc3339(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
  if (at === undefined) {
    throw problems.invalid([
      { message: `${name} is neither a date (2026-11-15) nor an RFC 3339 time`, pointer: `/${name}` },
    ])
  }
  return toMoment(at)
}

function addressFilter(text: string): (address: string) => boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  const size = bits === undefined ? undefined : Number(bits)
  const isSize = size === undefined || (/^\d+$/.test(bits ?? '') && size <= (family === 6 ? 128 : 32))
  if (family === 0 || rest.length > 0 || !isSize) {
    throw problems.invalid([{ message: 'actor.ip is neither an address nor a CIDR block', pointer: '/actor.ip' }])
  }
  const list = new BlockList()
  const kind = family === 6 ? 'ipv6' : 'ipv4'
  if (size === undefined) list.addAddress(address, kind)
  else list.addSubnet(address, size, kind)
  return (seen) => isIP(seen) !== 0 && list.check(seen, isIP(seen) === 6 ? 'ipv6' : 'ipv4')
}

const view = (row: { [K in keyof AuditTable]: K extends 'number' ? number : AuditTable[K] }) => ({
  id: row.id,
  action: { type: row.action_type, result: true },
  actor: { id: row.actor_id, email: row.actor_email, ip: row.actor_ip, type: row.actor_type },
  interface: row.interface,
  metadata: {
    ...JSON.parse(row.metadata),
    credential: { type: row.credential_type, id: row.credential_id, name: row.credential_name },
    ...(row.zone_id === null ? {} : { zone_id: row.zone_id, zone_name: row.zone_name }),
  } as Record<string, unknown>,
  oldValue: row.old_value,
  newValue: row.new_value,
  owner: { id: row.account_id ?? row.actor_id },
  resource: { id: row.resource_id, type: row.resource_type },
  when: showMoment(row.happened_at),
})
