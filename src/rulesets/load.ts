/** Reads what is deployed for a scope: its entry points, what they execute, and the lists that its rules look up. */
import type { Scope } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import { type List, listOf } from '../expression/index.ts'
import type { Redirect } from './actions/index.ts'
import type { Deployed } from './deployment.ts'
import { executedBy } from './judge.ts'
import { type ListKind, redirectKey } from './list-items.ts'
import type { Rule, Ruleset } from './ruleset.ts'
import { type RulesetRow, readRuleset, summary } from './store.ts'

/** In an account's own scope only its own entry points run; in a zone's, the account's before the zone's. */
export async function loadDeployed(db: Db, scope: Scope): Promise<Deployed> {
  const entries = await entryPoints(db, scope)
  const targets = await executedRulesets(db, entries)
  const { lists, redirects } = await loadLists(db, scope)
  return {
    account: entries.filter((ruleset) => ruleset.kind === 'root'),
    zone: entries.filter((ruleset) => ruleset.kind === 'zone'),
    find: (id, version) => targets.get(version === 'latest' ? id : `${id}/${version}`),
    lists: (type, name) => lists.get(`${type} ${name}`),
    redirectFrom: (list, address) => redirects.get(list)?.get(redirectKey(address)),
  }
}

async function entryPoints(db: Db, scope: Scope): Promise<Ruleset[]> {
  const rows = await db
    .selectFrom('rulesets')
    .innerJoin('ruleset_versions', (join) =>
      join
        .onRef('ruleset_versions.ruleset_id', '=', 'rulesets.id')
        .onRef('ruleset_versions.version', '=', 'rulesets.current_version'),
    )
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', 'root'), eb('account_id', '=', scope.account)]),
        eb.and([eb('kind', '=', 'zone'), eb('zone_id', '=', scope.kind === 'zone' ? scope.id : '')]),
      ]),
    )
    .execute()
  return rows.map((row) => ({ ...summary(row, row), rules: JSON.parse(row.rules) as Rule[] }))
}

async function executedRulesets(db: Db, entries: readonly Ruleset[]): Promise<Map<string, Ruleset>> {
  const found = new Map<string, Ruleset>()
  const ids = [...new Set(entries.flatMap((entry) => executedBy(entry.rules)))]
  if (ids.length === 0) return found
  const rows = await db.selectFrom('rulesets').selectAll().where('id', 'in', ids).execute()
  const rules = entries.flatMap((entry) => entry.rules)
  for (const row of rows) {
    await remember(db, found, row, undefined)
    const pinned = rules
      .filter((rule) => rule.action_parameters?.id === row.id)
      .map((rule) => rule.action_parameters?.version)
    for (const version of new Set(pinned)) if (version !== 'latest') await remember(db, found, row, Number(version))
  }
  return found
}

async function remember(
  db: Db,
  found: Map<string, Ruleset>,
  row: RulesetRow,
  version: number | undefined,
): Promise<void> {
  const ruleset = await readRuleset(db, row, version)
  if (ruleset) found.set(version === undefined ? row.id : `${row.id}/${version}`, ruleset)
}

const itemTypes = { ip: 'Ip', asn: 'Int', hostname: 'Bytes', string: 'Bytes' } as const

async function loadLists(db: Db, scope: Scope) {
  const rows = await db
    .selectFrom('list_items')
    .innerJoin('lists', 'lists.id', 'list_items.list_id')
    .select(['lists.name', 'lists.kind', 'list_items.content'])
    .where('lists.account_id', '=', scope.account)
    .execute()
  const lists = new Map<string, List>()
  const redirects = new Map<string, Map<string, Redirect>>()
  for (const [name, items = []] of Object.entries(Object.groupBy(rows, (row) => row.name))) {
    const kind = items[0]?.kind as ListKind
    const contents = items.map((item) => (JSON.parse(item.content) as Record<string, unknown>)[kind])
    if (kind === 'redirect') {
      const all = contents as (Redirect & { source_url: string })[]
      redirects.set(name, new Map(all.map((redirect) => [redirectKey(redirect.source_url), redirect])))
    } else {
      const list = listOf(itemTypes[kind], contents)
      if (list) lists.set(`${itemTypes[kind]} ${name}`, list)
    }
  }
  return { lists, redirects }
}
