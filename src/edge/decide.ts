/**
 * Decides one request of an edge by the rules in force for its zone. What cannot be decided (rules that cannot be read, a
 * mistake of ours) passes or is refused as the zone is set, and is counted; it is never an error to the edge.
 */
import type { Clock, Log, Metrics, Scope, Shares } from '../base/index.ts'
import type { Db } from '../db/index.ts'
import type { LogNeeds } from '../logs/index.ts'
import { type Counters, type Decision, type EdgeRequest, evaluate, makeCounters } from '../rulesets/index.ts'
import { type Deployments, makeDeployments } from './deployments.ts'
import { type Events, makeEvents } from './events.ts'

export type EdgeNeeds = {
  readonly db: Db
  readonly now: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly logs: LogNeeds
  /** Where several processes decide; alone, each counts by itself. */
  readonly shares?: Shares | undefined
}

/** What deciding remembers between requests. Opened once; closed, it has written down every event. */
export type Edge = {
  readonly log: Log
  readonly metrics: Metrics
  readonly deployments: Deployments
  readonly events: Events
  countersOf(zone: string): Counters
  close(): Promise<void>
}

export function openEdge(needs: EdgeNeeds): Edge {
  const events = makeEvents(needs)
  return {
    log: needs.log,
    metrics: needs.metrics,
    deployments: makeDeployments(needs),
    events,
    countersOf: countersByZone(needs),
    close: events.close,
  }
}

// A counter takes some 200 bytes: a zone under attack costs ten megabytes, and takes no room from another zone's.
const mostKeys = 50_000
const mostZones = 1_000
const group = 'zone/'

function countersByZone({ now, shares }: EdgeNeeds): Edge['countersOf'] {
  const zones = new Map<string, Counters>()
  const countersOf = (zone: string): Counters => {
    const known = zones.get(zone)
    if (known) return known
    if (zones.size >= mostZones) for (const oldest of zones.keys()) if (zones.delete(oldest)) break
    const made = makeCounters({
      most: mostKeys,
      ...(shares ? { tell: (key, count) => shares.note(`${group}${zone}`, key, count) } : {}),
    })
    zones.set(zone, made)
    return made
  }
  shares?.hear((from, key, count) => {
    if (from.startsWith(group)) countersOf(from.slice(group.length)).hear(key, count, now())
  })
  return countersOf
}

export type Verdict =
  /** The request goes on, changed as the passage says. */
  | { readonly kind: 'pass'; readonly decision: Decision | undefined }
  /** The edge answers in the origin's place. */
  | { readonly kind: 'answer'; readonly answer: Reply; readonly decision: Decision | undefined }

export type Reply = {
  readonly kind: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Seconds after which a rate limit has surely ended. */
  readonly retryAfter?: number
}

export type DecideOptions = {
  /** Asked a second time about one request: nothing is counted or written down again. */
  readonly again?: boolean
}

export async function decide(
  edge: Edge,
  scope: Scope,
  request: EdgeRequest,
  { again = false }: DecideOptions = {},
): Promise<Verdict> {
  try {
    const waiting = edge.deployments.of(scope)
    const inForce = waiting instanceof Promise ? await waiting : waiting
    const counters = edge.countersOf(scope.id)
    const decision = evaluate(inForce.deployment, withZone(request, inForce.zoneName), {
      counters: again ? { ...counters, count: () => {} } : counters,
    })
    const verdict = verdictOf(decision)
    if (!again) {
      edge.metrics.decisions.inc({ outcome: verdict.kind === 'pass' ? 'pass' : verdict.answer.kind })
      edge.events.note(scope, request, decision, inForce.zoneName)
    }
    return verdict
  } catch (error) {
    const onFailure = edge.deployments.onFailure(scope)
    edge.metrics.decisionFailures.inc({ instead: onFailure })
    edge.log.error({ err: error, zone: scope.id }, `a request could not be decided; the zone fails ${onFailure}`)
    return onFailure === 'open' ? { kind: 'pass', decision: undefined } : refused
  }
}

const withZone = (request: EdgeRequest, zone: string): EdgeRequest => ({
  ...request,
  facts: { 'cf.zone.name': zone, ...request.facts },
})

function verdictOf(decision: Decision): Verdict {
  const { answer } = decision
  if (!answer) return { kind: 'pass', decision }
  const { kind, status, headers, body, match } = answer
  const limit = match.rule.ratelimit
  // Counters do not tell when they end; the whole time is never too short.
  const retryAfter = limit && status === 429 ? { retryAfter: limit.mitigation_timeout || limit.period } : {}
  return { kind: 'answer', answer: { kind, status, headers, body, ...retryAfter }, decision }
}

const refused: Verdict = {
  kind: 'answer',
  answer: {
    kind: 'failure',
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'This request cannot be decided just now.\n',
  },
  decision: undefined,
}
