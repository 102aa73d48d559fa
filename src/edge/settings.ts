/** What an edge is told when a request of the zone cannot be decided: let it pass, or refuse it. */
import { type AccessNeeds, type Caller, record } from '../access/index.ts'
import { problems, type Scope } from '../base/index.ts'

export type EdgeSettings = { readonly on_failure: 'open' | 'closed' }

export async function edgeSettings({ db }: Pick<AccessNeeds, 'db'>, scope: Scope): Promise<EdgeSettings> {
  const zone = await db.selectFrom('zones').select('edge_failure').where('id', '=', scope.id).executeTakeFirst()
  if (!zone) throw problems.zoneMissing()
  return { on_failure: zone.edge_failure === 'closed' ? 'closed' : 'open' }
}

export async function setEdgeSettings(
  { db, now }: AccessNeeds,
  caller: Caller,
  scope: Scope,
  settings: EdgeSettings,
): Promise<EdgeSettings> {
  return db.transaction().execute(async (trx) => {
    const before = await edgeSettings({ db: trx }, scope)
    await trx.updateTable('zones').set({ edge_failure: settings.on_failure }).where('id', '=', scope.id).execute()
    await record(trx, {
      caller,
      at: now(),
      scope,
      action: 'update',
      resource: { type: 'edge_settings', id: scope.id },
      old: before,
      new: settings,
    })
    return settings
  })
}
