/** Rulesets by id and by phase, their versions and rules, and the managed rulesets that the operator provides. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { ruleset, said, summary, written } from './ruleset-view.ts'

export * from './ruleset-trace.ts'
export type { RulesetView, RuleView } from './ruleset-view.ts'

const rulesBody = said('Rules in order; `{"id"}` alone keeps a rule as it is', [
  { action: 'block', expression: 'http.request.uri.path eq "/private"', description: 'Nobody enters here' },
])
const ruleMembers = {
  action: Type.Optional(said('What happens to a request that matches', 'block')),
  action_parameters: Type.Optional(said('What the action needs')),
  expression: Type.Optional(said('Which requests match', 'http.request.uri.path eq "/private"')),
  description: Type.Optional(said('For people')),
  enabled: Type.Optional(said('true unless said otherwise')),
  ref: Type.Optional(said('A name of your own for the rule')),
  logging: Type.Optional(said('{"enabled": false} keeps matches of a skip rule out of the events')),
  ratelimit: Type.Optional(said('For rate limiting rules')),
  position: Type.Optional(
    said('{"before": id}, {"after": id} or {"index": n}; an empty id is the first or last place'),
  ),
}
const ruleBody = Type.Object(ruleMembers, { additionalProperties: true })
const unchanged = Type.Optional(said('May be sent again as it is; it cannot be changed'))
const updateBody = Type.Object(
  {
    description: Type.Optional(said('For people')),
    rules: Type.Optional(rulesBody),
    id: unchanged,
    name: unchanged,
    kind: unchanged,
    phase: unchanged,
  },
  { additionalProperties: true },
)

const dryRun = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ description: 'Check everything, store nothing; the result is null' })),
})
const byId = Type.Object({ ruleset_id: Type.String() })
const byIdAndVersion = Type.Object({ ruleset_id: Type.String(), version: Type.String() })
const byIdAndRule = Type.Object({ ruleset_id: Type.String(), rule_id: Type.String() })
const byPhase = Type.Object({ phase: Type.String() })

const reading = { tag: 'Rulesets', place: 'both', allowed: 'rulesets:read' } as const
const writing = { tag: 'Rulesets', place: 'both', allowed: 'rulesets:edit', query: dryRun } as const

export const listRulesets = operation({
  ...reading,
  id: 'listRulesets',
  summary: 'Rulesets of the scope and those it may execute, without their rules',
  method: 'GET',
  path: '/rulesets',
  query: Type.Object({
    cursor: Type.Optional(Type.String({ minLength: 1 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'All in one page when left out' })),
  }),
  result: Type.Array(summary),
  pages: 'cursor',
})

export const createRuleset = operation({
  ...writing,
  id: 'createRuleset',
  summary: 'Make a ruleset, or the entry point of a phase',
  method: 'POST',
  path: '/rulesets',
  body: Type.Object(
    {
      name: Type.Optional(said('Needed; it cannot be changed later', 'My rules')),
      kind: Type.Optional(said('Needed: root or custom in an account, zone in a zone', 'zone')),
      phase: Type.Optional(said('Needed', 'http_request_firewall_custom')),
      description: Type.Optional(said('For people')),
      rules: Type.Optional(rulesBody),
    },
    { additionalProperties: true },
  ),
  result: written,
})

export const viewRuleset = operation({
  ...reading,
  id: 'viewRuleset',
  summary: 'A ruleset in its newest version',
  method: 'GET',
  path: '/rulesets/{ruleset_id}',
  params: byId,
  result: ruleset,
})

export const updateRuleset = operation({
  ...writing,
  id: 'updateRuleset',
  summary: 'Replace the description and the rules of a ruleset; makes a new version',
  method: 'PUT',
  path: '/rulesets/{ruleset_id}',
  params: byId,
  body: updateBody,
  result: written,
})

export const deleteRuleset = operation({
  ...writing,
  id: 'deleteRuleset',
  summary: 'Delete a ruleset with all its versions',
  method: 'DELETE',
  path: '/rulesets/{ruleset_id}',
  params: byId,
  status: 204,
})

export const listVersions = operation({
  ...reading,
  id: 'listRulesetVersions',
  summary: 'All versions of a ruleset, without their rules',
  method: 'GET',
  path: '/rulesets/{ruleset_id}/versions',
  params: byId,
  result: Type.Array(summary),
})

export const viewVersion = operation({
  ...reading,
  id: 'viewRulesetVersion',
  summary: 'One version of a ruleset, with its rules',
  method: 'GET',
  path: '/rulesets/{ruleset_id}/versions/{version}',
  params: byIdAndVersion,
  result: ruleset,
})

export const deleteVersion = operation({
  ...writing,
  id: 'deleteRulesetVersion',
  summary: 'Delete one version; without its newest one the ruleset goes back to the version before',
  method: 'DELETE',
  path: '/rulesets/{ruleset_id}/versions/{version}',
  params: byIdAndVersion,
  status: 204,
})

export const listRulesByTag = operation({
  ...reading,
  id: 'listRulesByTag',
  summary: 'The rules of a version that carry a tag',
  method: 'GET',
  place: 'account',
  path: '/rulesets/{ruleset_id}/versions/{version}/by_tag/{tag}',
  params: Type.Object({ ruleset_id: Type.String(), version: Type.String(), tag: Type.String() }),
  result: ruleset,
})

export const addRule = operation({
  ...writing,
  id: 'addRule',
  summary: 'Add one rule, at the end or at a position',
  method: 'POST',
  path: '/rulesets/{ruleset_id}/rules',
  params: byId,
  body: ruleBody,
  result: written,
})

export const updateRule = operation({
  ...writing,
  id: 'updateRule',
  summary: 'Change one rule, move it, or both; a body with action and expression replaces the whole definition',
  method: 'PATCH',
  path: '/rulesets/{ruleset_id}/rules/{rule_id}',
  params: byIdAndRule,
  body: ruleBody,
  result: written,
})

export const deleteRule = operation({
  ...writing,
  id: 'deleteRule',
  summary: 'Delete one rule; the answer is the ruleset without it',
  method: 'DELETE',
  path: '/rulesets/{ruleset_id}/rules/{rule_id}',
  params: byIdAndRule,
  result: written,
})

export const viewEntryPoint = operation({
  ...reading,
  id: 'viewEntryPoint',
  summary: 'The entry point of a phase',
  method: 'GET',
  path: '/rulesets/phases/{phase}/entrypoint',
  params: byPhase,
  result: ruleset,
})

export const updateEntryPoint = operation({
  ...writing,
  id: 'updateEntryPoint',
  summary: 'Deploy rules in a phase; makes the entry point when there is none',
  method: 'PUT',
  path: '/rulesets/phases/{phase}/entrypoint',
  params: byPhase,
  body: Type.Object(
    {
      name: Type.Optional(said('The name it gets when it is made', 'default')),
      description: Type.Optional(said('For people')),
      rules: Type.Optional(rulesBody),
    },
    { additionalProperties: true },
  ),
  result: written,
})

export const listEntryPointVersions = operation({
  ...reading,
  id: 'listEntryPointVersions',
  summary: 'All versions of the entry point of a phase; none when there is no entry point',
  method: 'GET',
  path: '/rulesets/phases/{phase}/entrypoint/versions',
  params: byPhase,
  result: Type.Array(summary),
})

export const viewEntryPointVersion = operation({
  ...reading,
  id: 'viewEntryPointVersion',
  summary: 'One version of the entry point of a phase',
  method: 'GET',
  path: '/rulesets/phases/{phase}/entrypoint/versions/{version}',
  params: Type.Object({ phase: Type.String(), version: Type.String() }),
  result: ruleset,
})

export const importManagedRuleset = operation({
  id: 'importManagedRuleset',
  summary: 'Provide a managed ruleset to all accounts, or its next version (super administrators)',
  tag: 'Managed rulesets',
  method: 'POST',
  place: 'none',
  path: '/managed/rulesets',
  allowed: 'anyone',
  only: 'super',
  query: dryRun,
  body: Type.Object(
    {
      name: Type.Optional(said('Needed')),
      phase: Type.Optional(said('Needed', 'http_request_firewall_managed')),
      rules: Type.Optional(said('Needed; every rule has a `ref`, and its tags in `categories`')),
      id: Type.Optional(said('Chosen by you, to be the same in every installation')),
      description: Type.Optional(said('For people')),
    },
    { additionalProperties: true },
  ),
  result: written,
})
