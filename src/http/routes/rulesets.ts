/** Rulesets: the id form and the phase form of an operation differ only in the address they hand on. */
import type { IncomingHttpHeaders } from 'node:http'
import { isId, problems } from '../../base/index.ts'
import { rulesets as contract } from '../../contract/index.ts'
import * as rulesets from '../../rulesets/index.ts'
import type { Bind } from '../bind.ts'

type Write = { readonly query: { dry_run?: boolean }; readonly headers: IncomingHttpHeaders }

const writeOptions = ({ query, headers }: Write): rulesets.WriteOptions => ({
  dryRun: query.dry_run,
  ifMatch: headers['if-match'],
})

/** A path with something else in the place of an id leads nowhere. */
const byId = ({ ruleset_id: id }: { ruleset_id: string }): rulesets.Address => {
  if (!isId(id)) throw problems.noRoute(`/rulesets/${id.slice(0, 100)}`)
  return { id }
}

const numbered = ({ version }: { version: string }): string => {
  if (!/^\d+$/.test(version)) throw problems.noRoute(`/versions/${version.slice(0, 100)}`)
  return version
}

const ruleOf = ({ rule_id: id }: { rule_id: string }): string => {
  if (!isId(id)) throw problems.noRoute(`/rules/${id.slice(0, 100)}`)
  return id
}

type Reply = { header(name: string, value: string): void }

/** The version is the entity tag, so that a later write can say `If-Match`. */
async function tagged<T extends { version: string } | null>(reply: Reply, answer: Promise<T>): Promise<T> {
  const ruleset = await answer
  if (ruleset) reply.header('etag', `"${ruleset.version}"`)
  return ruleset
}

export function bindRulesets(bind: Bind, needs: rulesets.RulesetNeeds): void {
  bind(contract.listRulesets, ({ scope, query: { cursor, per_page } }) =>
    rulesets.list(needs, scope, {
      ...(cursor === undefined ? {} : { cursor }),
      ...(per_page === undefined ? {} : { perPage: per_page }),
    }),
  )
  bind(contract.createRuleset, (asked, caller) =>
    tagged(asked.reply, rulesets.create(needs, caller, asked.scope, asked.body, writeOptions(asked))),
  )
  bind(contract.viewRuleset, ({ scope, params, reply }) => tagged(reply, rulesets.view(needs, scope, byId(params))))
  bind(contract.updateRuleset, (asked, caller) =>
    tagged(asked.reply, rulesets.put(needs, caller, asked.scope, byId(asked.params), asked.body, writeOptions(asked))),
  )
  bind(contract.deleteRuleset, async (asked, caller) => {
    await rulesets.remove(needs, caller, asked.scope, byId(asked.params), writeOptions(asked))
    return null
  })

  bind(contract.listVersions, ({ scope, params }) => rulesets.versions(needs, scope, byId(params)))
  bind(contract.viewVersion, ({ scope, params }) => rulesets.version(needs, scope, byId(params), numbered(params)))
  bind(contract.deleteVersion, async (asked, caller) => {
    const { scope, params } = asked
    await rulesets.removeVersion(needs, caller, scope, byId(params), numbered(params), writeOptions(asked))
    return null
  })
  bind(contract.listRulesByTag, ({ scope, params }) =>
    rulesets.byTag(needs, scope, byId(params), numbered(params), params.tag),
  )

  bind(contract.addRule, (asked, caller) =>
    tagged(
      asked.reply,
      rulesets.addRule(needs, caller, asked.scope, byId(asked.params), asked.body, writeOptions(asked)),
    ),
  )
  bind(contract.updateRule, (asked, caller) => {
    const { scope, params, body, reply } = asked
    const rule = ruleOf(params)
    return tagged(reply, rulesets.patchRule(needs, caller, scope, byId(params), rule, body, writeOptions(asked)))
  })
  bind(contract.deleteRule, (asked, caller) => {
    const { scope, params, reply } = asked
    return tagged(reply, rulesets.deleteRule(needs, caller, scope, byId(params), ruleOf(params), writeOptions(asked)))
  })

  bind(contract.viewEntryPoint, ({ scope, params, reply }) => tagged(reply, rulesets.view(needs, scope, params)))
  bind(contract.updateEntryPoint, (asked, caller) => {
    const { phase } = asked.params
    return tagged(asked.reply, rulesets.put(needs, caller, asked.scope, { phase }, asked.body, writeOptions(asked)))
  })
  bind(contract.listEntryPointVersions, ({ scope, params }) => rulesets.versions(needs, scope, params))
  bind(contract.viewEntryPointVersion, ({ scope, params: { phase, version } }) =>
    rulesets.version(needs, scope, { phase }, numbered({ version })),
  )

  bind(contract.traceRequest, ({ scope, body }) => rulesets.trace(needs, scope, body))
  bind(contract.importManagedRuleset, ({ query, body }, caller) =>
    rulesets.importManaged(needs, caller, body, { dryRun: query.dry_run }),
  )
}
