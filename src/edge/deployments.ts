/**
 * What is in force for each zone, compiled once per version. A stamp of all version numbers that a zone's rules rest on
 * says whether anything changed; it is asked for again when the last answer is half a second old, beside the decisions,
 * and before a decision when it is a second old, so that a change is in force within one second and a busy zone never
 * waits. While the database does not answer, the last known rules stay in force.
 */
import type { Clock, Log, Metrics, Nanos, Scope } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { type Deployment, deploy, loadDeployed } from '../rulesets/index.ts'

export type InForce = { readonly deployment: Deployment; readonly zoneName: string }

export type Deployments = {
  of(scope: Scope): InForce | Promise<InForce>
  /** As the zone is set, when that was ever read; open before. */
  onFailure(scope: Scope): 'open' | 'closed'
}

type Needs = { readonly db: Db; readonly now: Clock; readonly log: Log; readonly metrics: Metrics }

type Entry = {
  inForce?: InForce
  stamp?: string
  onFailure?: 'open' | 'closed'
  checkedAt: Nanos
  checking?: Promise<InForce> | undefined
}

const soon = 500_000_000n
const late = 900_000_000n

/** Past `most` zones the one not asked for the longest time is compiled again when it comes back. */
export function makeDeployments(needs: Needs, most = 1_000): Deployments {
  const entries = new Map<string, Entry>()

  const entryOf = (id: string): Entry => {
    const entry = entries.get(id) ?? { checkedAt: 0n }
    entries.delete(id)
    entries.set(id, entry)
    if (entries.size > most) for (const oldest of entries.keys()) if (entries.delete(oldest)) break
    return entry
  }

  return {
    onFailure: (scope) => entries.get(scope.id)?.onFailure ?? 'open',
    of(scope) {
      const entry = entryOf(scope.id)
      const age = needs.now() - entry.checkedAt
      // A clock that was set back makes an answer old, not young.
      if (entry.inForce && age >= 0n && age < soon) return entry.inForce
      entry.checking ??= check(needs, scope, entry).finally(() => {
        entry.checking = undefined
      })
      if (!entry.inForce || age < 0n || age >= late) return entry.checking
      // Its failure is told where it happens; nobody waits for this one.
      entry.checking.catch(() => {})
      return entry.inForce
    },
  }
}

async function check(needs: Needs, scope: Scope, entry: Entry): Promise<InForce> {
  const at = needs.now()
  try {
    const zone = await zoneOf(needs.db, scope)
    entry.onFailure = zone.edge_failure === 'closed' ? 'closed' : 'open'
    const stamp = `${zone.name} ${await stampOf(needs.db, scope)}`
    let { inForce } = entry
    if (!inForce || entry.stamp !== stamp) {
      inForce = { deployment: deploy(await loadDeployed(needs.db, scope)), zoneName: zone.name }
      // What was changed while it was read is found by the next stamp: this one is older than what was read.
      Object.assign(entry, { inForce, stamp })
    }
    entry.checkedAt = at
    return inForce
  } catch (error) {
    if (!entry.inForce) throw error
    needs.metrics.decisionFailures.inc({ instead: 'last known rules' })
    needs.log.warn({ err: error, zone: scope.id }, 'the rules in force cannot be read; the last known ones stay')
    entry.checkedAt = at
    return entry.inForce
  }
}

const zoneOf = (db: Db, scope: Scope) =>
  db.selectFrom('zones').select(['name', 'edge_failure']).where('id', '=', scope.id).executeTakeFirstOrThrow()

/** Versions never change and their numbers are never given twice, so equal numbers mean equal rules and lists. */
async function stampOf(db: Db, scope: Scope): Promise<string> {
  const rulesets = await db
    .selectFrom('rulesets')
    .select(['id', 'current_version'])
    .where((eb) =>
      eb.or([
        eb.and([eb('account_id', 'is', null), eb('kind', '=', 'managed')]),
        eb.and([eb('account_id', '=', scope.account), eb('kind', '=', 'custom')]),
        eb.and([eb('account_id', '=', scope.account), eb('kind', '=', 'root')]),
        eb('zone_id', '=', scope.id),
      ]),
    )
    .orderBy('id')
    .execute()
  const lists = await db
    .selectFrom('lists')
    .select(['id', 'version'])
    .where('account_id', '=', scope.account)
    .orderBy('id')
    .execute()
  return [
    ...rulesets.map(({ id, current_version }) => `${id}/${current_version}`),
    ...lists.map(({ id, version }) => `${id}/${version}`),
  ].join(' ')
}
