/**
 * What the deployed rules do to one request: phases in order, the account's entry point before the zone's, rules from top
 * to bottom. Pure but for the counters handed in. Within a phase every rule sees the request as the phase before left it,
 * its path in the one spelling that `normalise.ts` gives it.
 */
import type { Values } from '../expression/index.ts'
import type { CompiledPhase, CompiledRule, CompiledRuleset, Deployment, Level } from './deployment.ts'
import type { Moment } from './fields.ts'
import { normalisePath } from './normalise.ts'
import { type Answer, newPassage, type Passage } from './passage.ts'
import type { Phase } from './phases/index.ts'
import { type Counters, counterKey } from './ratelimit.ts'
import { afterPhase, afterResponsePhase, type EdgeRequest, type EdgeResponse } from './request.ts'
import type { Rule, Ruleset } from './ruleset.ts'
import { phaseStep, ruleStep, rulesetStep, type Step } from './trace.ts'

/** A rule that matched and did what its action says. */
export type Match = {
  readonly phase: Phase
  readonly level: Level
  readonly ruleset: Ruleset
  readonly rule: Rule
  /** Whether it belongs into the event log. */
  readonly logs: boolean
}

export type Decision = {
  /** Absent when the request goes on to the origin. */
  readonly answer?: Answer & { readonly match: Match }
  readonly passage: Passage
  readonly request: EdgeRequest
  readonly response?: EdgeResponse | undefined
  readonly matches: readonly Match[]
  /** Products outside of rule evaluation that a rule switched off for this request. */
  readonly skippedProducts: readonly string[]
  readonly trace?: readonly Step[]
}

export type EvaluateOptions = {
  readonly counters: Counters
  /** Given, response phases run too. */
  readonly response?: EdgeResponse
  readonly trace?: boolean
}

export function evaluate(deployment: Deployment, request: EdgeRequest, options: EvaluateOptions): Decision {
  const run: Run = {
    deployment,
    counters: options.counters,
    passage: newPassage(),
    matches: [],
    skipped: { account: newSkips(), zone: newSkips() },
    later: [],
    answer: undefined,
  }
  const steps: Step[] | undefined = options.trace ? [] : undefined
  const path = normalisePath(request.path)
  const seen = path === request.path ? request : { ...request, path }
  let moment: Moment = {
    request: seen,
    original: request,
    response: options.response,
    originalResponse: options.response,
  }
  for (const compiled of deployment.phases) {
    if (compiled.phase.stage === 'response' && !options.response) continue
    runPhase(run, compiled, moment, steps)
    if (run.answer) break
    moment = {
      ...moment,
      request: afterPhase(seen, run.passage),
      response: options.response && afterResponsePhase(options.response, run.passage),
    }
  }
  if (!run.answer) for (const count of run.later) count(moment)
  return {
    ...(run.answer ? { answer: run.answer } : {}),
    passage: run.passage,
    request: moment.request,
    response: moment.response,
    matches: run.matches,
    skippedProducts: [...new Set([...run.skipped.account.products, ...run.skipped.zone.products])],
    ...(steps ? { trace: steps } : {}),
  }
}

type Skips = {
  readonly phases: Set<string>
  readonly rulesets: Set<string>
  readonly rules: Set<string>
  readonly products: Set<string>
}

const newSkips = (): Skips => ({ phases: new Set(), rulesets: new Set(), rules: new Set(), products: new Set() })

type Run = {
  readonly deployment: Deployment
  readonly counters: Counters
  readonly passage: Passage
  readonly matches: Match[]
  /** A skip touches only its own level. */
  readonly skipped: Readonly<Record<Level, Skips>>
  /** Counting that waits until the request has passed every phase. */
  readonly later: ((moment: Moment) => void)[]
  answer: (Answer & { match: Match }) | undefined
}

/** Where a rule stands while it is looked at. */
type Standing = {
  readonly phase: Phase
  readonly level: Level
  readonly values: Values
  readonly moment: Moment
  readonly table: CompiledPhase['table']
}

function runPhase(run: Run, { phase, entries, table }: CompiledPhase, moment: Moment, steps: Step[] | undefined): void {
  const step = steps && phaseStep(phase)
  if (step) steps.push(step)
  const values = table(moment, run.deployment.lists)
  for (const { level, ruleset } of entries) {
    if (run.skipped[level].phases.has(phase.name)) {
      if (step) step.note = `skipped by an earlier rule of the ${level}`
      continue
    }
    const inner = step && rulesetStep(ruleset)
    if (inner) step.trace.push(inner)
    runRules(run, ruleset, { phase, level, values, moment, table }, inner)
    if (step && inner?.matched) step.matched = true
    if (run.answer) return
  }
}

/** How a ruleset ended: at its last rule, by a skip of the rest of the phase, or by an answer. */
type Ending = 'done' | 'phase skipped' | 'answered'

function runRules(
  run: Run,
  compiled: CompiledRuleset,
  standing: Standing,
  step: (Step & { trace: Step[] }) | undefined,
): Ending {
  const { ruleset } = compiled
  const score = { points: 0 }
  for (const one of compiled.rules) {
    const skipped = run.skipped[standing.level]
    if (skipped.rules.has(`${ruleset.id}/${one.rule.id}`)) continue
    const inner = step && ruleStep(compiled, one, standing.values)
    if (inner) step.trace.push(inner)
    const refusal = whyNot(run, one, standing, score.points)
    if (refusal !== undefined) {
      if (inner && refusal !== '') inner.note = refusal
      continue
    }
    const ending = act(run, compiled, one, standing, score, inner)
    if (step && inner?.matched) step.matched = true
    if (ending === 'answered' || ending === 'phase skipped') return ending
    if (ending === 'ruleset skipped') return 'done'
  }
  return 'done'
}

/** Undefined when the rule acts; otherwise why it does not, empty when its expression is simply false. */
function whyNot(run: Run, one: CompiledRule, standing: Standing, points: number): string | undefined {
  const { rule, rate } = one
  const matches = one.matches(standing.values)
  if (rate && rule.ratelimit) return whyNotOver(run, one, standing, matches)
  if (!matches) return ''
  if (rule.score_threshold !== undefined && points < rule.score_threshold)
    return `the score is ${points}, below ${rule.score_threshold}`
  const target = one.executes?.ruleset.id
  if (target !== undefined && run.skipped[standing.level].rulesets.has(target))
    return 'an earlier rule skips this ruleset'
  return undefined
}

function whyNotOver(run: Run, one: CompiledRule, standing: Standing, matches: boolean): string | undefined {
  const { rule, rate } = one
  const limit = rule.ratelimit
  if (!rate || !limit) return ''
  const { at } = standing.moment.request
  const key = counterKey(
    rule.id,
    rate.characteristics.map((read) => read(standing.values)),
  )
  // What is acted on is not counted again: when the mitigation ends, the key starts afresh.
  if (matches && run.counters.isOver(key, limit, at)) return undefined
  const before = run.counters.counted(key, at)
  if (rate.needsResponse || limit.requests_to_origin)
    run.later.push((moment) => {
      if (rate.needsResponse && !moment.response) return
      if (!rate.counts(standing.table(moment, run.deployment.lists))) return
      run.counters.count(key, limit, pointsOf(rule, moment), at)
    })
  else if (rate.counts(standing.values)) run.counters.count(key, limit, 1, at)
  return matches ? `${before} counted before this request, not too many yet` : ''
}

/** One for each request, or as many as the origin says in a header of its answer. */
function pointsOf({ ratelimit }: Rule, { response }: Moment): number {
  const name = ratelimit?.score_response_header_name?.toLowerCase()
  if (name === undefined) return 1
  const value = Number(response?.headers.find(([other]) => other.toLowerCase() === name)?.[1] ?? 0)
  return Number.isFinite(value) && value > 0 ? value : 0
}

function act(
  run: Run,
  compiled: CompiledRuleset,
  one: CompiledRule,
  standing: Standing,
  score: { points: number },
  step: Step | undefined,
): Ending | 'ruleset skipped' {
  const { rule, action } = one
  const { phase, level, values, moment } = standing
  const match: Match = { phase, level, ruleset: compiled.ruleset, rule, logs: logsEvent(rule) }
  const answer = action.act?.(rule.action_parameters ?? {}, {
    phase,
    passage: run.passage,
    responseStatus: moment.response?.status,
    value: (expression) => one.values.get(expression)?.(values) as string | undefined,
    redirectFrom: run.deployment.redirectFrom,
    addScore: (points) => {
      score.points += points
    },
  })
  // A redirect whose target cannot be computed is as if the rule had not matched.
  if (action.terminating && !answer && rule.action !== 'log_custom_field') {
    if (step) step.note = 'it had no answer to give'
    return 'done'
  }
  if (step) step.matched = true
  run.matches.push(match)
  if (answer) {
    run.answer = { ...answer, match }
    return 'answered'
  }
  if (one.skips) return skip(run.skipped[level], one.skips)
  if (one.executes) return execute(run, one.executes, standing, step)
  return action.terminating ? 'ruleset skipped' : 'done'
}

function execute(run: Run, target: CompiledRuleset, standing: Standing, step: Step | undefined): Ending {
  const inner = step && rulesetStep(target)
  if (inner) Object.assign(step, { trace: [inner] })
  return runRules(run, target, standing, inner)
}

function skip(
  skipped: Skips,
  { ruleset, rulesets = [], rules = {}, phases = [], products = [], phase }: NonNullable<CompiledRule['skips']>,
) {
  for (const id of rulesets) skipped.rulesets.add(id)
  for (const [id, ruleIds] of Object.entries(rules)) for (const rule of ruleIds) skipped.rules.add(`${id}/${rule}`)
  for (const name of phases) skipped.phases.add(name)
  for (const product of products) skipped.products.add(product)
  if (phase === 'current') return 'phase skipped'
  return ruleset === 'current' ? 'ruleset skipped' : 'done'
}

const eventActions = new Set([
  'block',
  'challenge',
  'js_challenge',
  'managed_challenge',
  'log',
  'ddos_dynamic',
  'force_connection_close',
])

/** Security actions and `log` always, `skip` unless its logging is off, everything else never. */
const logsEvent = ({ action, logging }: Rule): boolean =>
  action === 'skip' ? logging?.enabled !== false : eventActions.has(action)
