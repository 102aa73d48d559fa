/**
 * Judges what a caller wrote about a ruleset: the bodies of requests against the phase, the kind and the scope they are
 * meant for. Every reason is told at once, each with its JSON pointer; nothing is looked up here, lookups are handed in.
 */
import { type Judged, judgedBy, type Reason, type ScopeKind } from '../base/index.ts'
import { findAction, type RuleContext } from './actions/index.ts'
import type { Position, RuleDraft } from './edit.ts'
import { judgeExpression, type ListKinds } from './language.ts'
import { findPhase, type Phase } from './phases/index.ts'
import { judgeRateLimit } from './ratelimit-judge.ts'
import { type Kind, kinds, type Rule, type RuleDefinition, type Ruleset } from './ruleset.ts'
import {
  flag,
  id,
  isObject,
  listOf,
  mapOf,
  object,
  optional,
  type Place,
  placeIn,
  required,
  type Shape,
  text,
  whole,
} from './shape.ts'

/** Where a ruleset stands, and what its rules may name. */
export type Where = {
  readonly phase: Phase
  readonly kind: Kind
  readonly scope: ScopeKind
  readonly lists: ListKinds
  findRuleset(id: string, version?: string): Ruleset | undefined
}

/** The number of a refusal for which no number is known in the wild. */
export const invalidRule = 20000

const description = text({ max: 1024 })
const anything: Shape<unknown> = (value) => value ?? null

// What an answer carries beside what a caller may set; sent back unchanged it does no harm.
const echoes = { version: optional(anything), last_updated: optional(anything) }
const name = text({ min: 1, max: 256 })
const kind: Shape<Kind> = (value, place) =>
  kinds.includes(value as Kind) ? (value as Kind) : place.refuse(value, `it is not one of ${kinds.join(', ')}`)
const phaseName: Shape<string> = (value, place) =>
  typeof value === 'string' && findPhase(value) ? value : place.refuse(value, 'there is no such phase')
const rules = listOf(anything, { max: 10_000 })

/** The three bodies that carry a list of rules differ in what else they may say. */
export const bodies = {
  create: object({
    name: required(name),
    kind: required(kind),
    phase: required(phaseName),
    description: optional(description),
    rules: optional(rules),
  }),
  update: object({
    id: optional(id),
    name: optional(name),
    kind: optional(kind),
    phase: optional(phaseName),
    description: optional(description),
    rules: optional(rules),
    ...echoes,
  }),
  entryPoint: object({ name: optional(name), description: optional(description), rules: optional(rules) }),
} as const

/** What never changes may be sent again, as it is. */
export function judgeUnchanged(body: Readonly<Record<string, unknown>>, ruleset: Ruleset): Reason[] {
  const reasons: Reason[] = []
  for (const key of ['id', 'name', 'kind', 'phase'] as const)
    if (body[key] !== undefined && body[key] !== ruleset[key])
      placeIn(reasons, `/${key}`, key).refuse(body[key], `it cannot be changed from '${ruleset[key]}'`)
  return reasons
}

/** Which kinds may be made where: entry points at their own level, custom sets in accounts, managed sets by the operator. */
export function judgeKind({ phase, kind, scope }: Pick<Where, 'phase' | 'kind' | 'scope'>): Reason[] {
  const reasons: Reason[] = []
  const place = placeIn(reasons, '/kind', 'kind')
  if (kind === 'managed')
    place.say("'' is not a valid value for ShareableEntitlementName because required for managed rulesets")
  else if ((kind === 'zone') !== (scope === 'zone')) place.refuse(kind, `it is not possible at ${scope} level`)
  else if (!phase.actions[kind] || !phase.scopes.includes(scope))
    place.refuse(kind, `the phase ${phase.name} has no rulesets of this kind at ${scope} level`)
  return reasons
}

/** The rules of a body, each judged on its own. */
export function judgeRules(where: Where, rules: readonly unknown[]): Judged<RuleDraft[]> {
  const reasons: Reason[] = []
  const drafts = rules.map((rule, index) => readRule(where, rule, placeIn(reasons, `/rules/${index}`, 'rule')))
  return judgedBy(reasons, () => drafts.filter((draft) => draft !== undefined))
}

/** One rule as it is sent alone, with the position that only such a body may have. */
export function judgeRuleBody(where: Where, body: unknown): Judged<{ draft: RuleDraft; position?: Position }> {
  const reasons: Reason[] = []
  const place = placeIn(reasons, '', 'rule')
  if (!isObject(body)) {
    place.say('invalid JSON: the body is not an object')
    return judgedBy<never>(reasons, () => undefined as never)
  }
  const { position, ...rule } = body
  const read = position === undefined ? undefined : positionShape(position, place.at('position'))
  // A body that is only a position moves the rule and leaves its definition alone.
  const draft = position !== undefined && Object.keys(rule).length === 0 ? {} : readRule(where, rule, place)
  return judgedBy(reasons, () => ({ draft: draft ?? {}, ...(read ? { position: read } : {}) }))
}

const ruleIdOrNone: Shape<string> = (value, place) => (value === '' ? '' : id(value, place))
const positionShape = object(
  { before: optional(ruleIdOrNone), after: optional(ruleIdOrNone), index: optional(whole(1)) },
  { exactlyOneOf: ['before', 'after', 'index'] },
)

const action = text({ like: { pattern: /^[a-z_]+$/, says: 'it is not the name of an action' } })
const member = {
  id: optional(id),
  ref: optional(text({ min: 1, max: 256 })),
  action: optional(action),
  action_parameters: optional(anything),
  expression: optional(anything),
  description: optional(description),
  enabled: optional(flag),
  logging: optional(object({ enabled: required(flag) })),
  ratelimit: optional(anything),
  exposed_credential_check: optional(anything),
  ...echoes,
}
const customerRule = object(member)
const tag = text({
  like: { pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/, says: 'a tag is lower-case words with hyphens between' },
})
const managedRule = object({
  ...member,
  categories: optional(listOf(tag, { max: 50, uniqueBy: (value) => value })),
  score_threshold: optional(whole(0)),
})

function readRule(where: Where, value: unknown, place: Place): RuleDraft | undefined {
  const read = (where.kind === 'managed' ? managedRule : customerRule)(value, place)
  if (!read) return undefined
  const { id, ref, version: _version, last_updated: _at, ...said } = read
  const who = { ...(id === undefined ? {} : { id }), ...(ref === undefined ? {} : { ref }) }
  // An id alone names a rule that stays as it is.
  if (id !== undefined && ref === undefined && Object.keys(said).length === 0) return who
  return { ...who, definition: readDefinition(where, said, place) }
}

type Said = {
  action?: string
  action_parameters?: unknown
  expression?: unknown
  description?: string
  enabled?: boolean
  logging?: { enabled: boolean }
  ratelimit?: unknown
  exposed_credential_check?: unknown
  categories?: string[]
  score_threshold?: number
}

/** The definition with every default filled in. It is only used when no reason spoke against it. */
function readDefinition(where: Where, said: Said, place: Place): RuleDefinition {
  const context = contextOf(where)
  judgeAction(where, said, place.at('action'))
  const parameters = readParameters(context, said, place.at('action_parameters'))
  const expression = context.expression('boolean')(said.expression ?? '', place.at('expression')) ?? ''
  const ratelimit = judgeRateLimit(where, { ...said, expression }, place.at('ratelimit'))
  const check = readCredentialCheck(context, said.exposed_credential_check, place.at('exposed_credential_check'))
  const logging = said.logging ?? (said.action === 'skip' ? { enabled: true } : undefined)
  return {
    action: said.action ?? '',
    ...(parameters && Object.keys(parameters).length > 0 ? { action_parameters: parameters } : {}),
    expression,
    description: said.description ?? '',
    enabled: said.enabled ?? true,
    ...(logging ? { logging } : {}),
    ...(ratelimit ? { ratelimit } : {}),
    ...(check ? { exposed_credential_check: check } : {}),
    ...(said.categories ? { categories: said.categories } : {}),
    ...(said.score_threshold === undefined ? {} : { score_threshold: said.score_threshold }),
  }
}

function judgeAction({ phase, kind }: Where, { action, action_parameters }: Said, place: Place): void {
  if (action === undefined && action_parameters !== undefined) place.say('action is required for action parameters')
  else if (action === undefined) place.refuse(undefined, 'it is required')
  else if (!phase.actions[kind]?.some((allowed) => allowed === action))
    place.refuse(
      action,
      `it is not possible to use the ${action} action in a ruleset with phase ${phase.name} and kind ${kind}`,
      20016,
    )
}

const noParameters = mapOf(text(), anything, { max: 0 })

function readParameters(
  context: RuleContext,
  { action, action_parameters = {} }: Said,
  place: Place,
): Record<string, unknown> | undefined {
  const known = action === undefined ? undefined : findAction(action)
  if (!known) return undefined
  if (known.parameters)
    return known.parameters(context)(action_parameters, place) as Record<string, unknown> | undefined
  if (isObject(action_parameters))
    for (const key of Object.keys(action_parameters)) place.at(key).say(`invalid JSON: unknown field "${key}"`)
  else noParameters(action_parameters, place)
  return undefined
}

function readCredentialCheck(context: RuleContext, value: unknown, place: Place) {
  if (value === undefined) return undefined
  if (context.kind !== 'custom' || context.phase.name !== 'http_request_firewall_custom')
    return void place.say(
      'only custom rulesets of the phase http_request_firewall_custom check for exposed credentials',
    )
  const expression = required(context.expression('string'))
  return object({ username_expression: expression, password_expression: expression })(value, place)
}

const contextOf = (where: Where): RuleContext => ({
  ...where,
  expression: (gives) => (value, place) =>
    judgeExpression(where, gives === 'boolean' ? 'match' : 'value', value, place),
})

/** What one operator's ruleset may hold, whatever the phase. */
export const mostManagedRules = 5000

/** What can only be said of the list as a whole, after the edit. */
export function judgeList(
  { phase, kind, findRuleset }: Where,
  rules: readonly Rule[],
  old: readonly Rule[] = [],
): Reason[] {
  const reasons: Reason[] = []
  const most = kind === 'managed' ? mostManagedRules : phase.maxRules
  if (rules.length > most && rules.length > old.length)
    placeIn(reasons, '/rules').say(
      `exceeded the maximum number of rules in the phase ${phase.name}: ${rules.length} out of ${most}`,
      50001,
    )
  if (kind !== 'zone') return reasons
  const executed = new Set<unknown>()
  for (const [index, rule] of rules.entries()) {
    const target = rule.action === 'execute' ? rule.action_parameters?.id : undefined
    if (target === undefined || findRuleset(String(target))?.kind !== 'managed') continue
    if (executed.has(target))
      placeIn(reasons, `/rules/${index}/action_parameters/id`).say(
        'more than one rule is trying to execute the same managed ruleset',
        20014,
      )
    executed.add(target)
  }
  return reasons
}

/** Ids of the rulesets that rules execute; whoever deletes one of these would leave a rule without its target. */
export const executedBy = (rules: readonly Rule[]): string[] =>
  rules.flatMap((rule) => (rule.action === 'execute' ? [String(rule.action_parameters?.id)] : []))
