/** Rules at work: an edge asks about each request, people ask what rules would have done. */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type AccessNeeds, may } from '../../access/index.ts'
import { problems, second } from '../../base/index.ts'
import { edge as contract } from '../../contract/index.ts'
import { decide, type Edge, edgeSettings, replay, setEdgeSettings, type Verdict } from '../../edge/index.ts'
import type { LogNeeds } from '../../logs/index.ts'
import { type RulesetNeeds, trace } from '../../rulesets/index.ts'
import type { Bind } from '../bind.ts'
import { type Convention, replyTo } from '../edge/reply.ts'
import { readVisit, type Trust, type Visit } from '../edge/visit.ts'
import type { FetchLimits } from '../fetch.ts'

export type EdgeRouteNeeds = {
  readonly access: AccessNeeds
  readonly rulesets: RulesetNeeds
  readonly logs: LogNeeds
  readonly fetchLimits: FetchLimits
  readonly edge: Edge
  readonly trust: Trust
}

export function bindEdge(bind: Bind, needs: EdgeRouteNeeds): void {
  const { access, rulesets, logs, fetchLimits, edge, trust } = needs
  const doubts = makeDoubts(needs)

  bind(contract.decide, async ({ scope, raw, peer, body, reply }) => {
    const below = belowOf(raw.url ?? '')
    const convention = below === undefined ? conventionOf(raw.url ?? '') : 'plain'
    const { kept, size } = await beginningOf(body)
    const visit = readVisit(
      {
        raw,
        peer,
        below,
        body: kept,
        bodySize: size,
        at: access.now(),
        newRay,
        isSecond: convention === 'answer',
      },
      trust,
    )
    const verdict =
      doubts(visit, peer) ?? (await decide(edge, scope, visit.request, { again: convention === 'answer' }))
    const { status, headers, type, body: page } = replyTo(visit.request, verdict, convention)
    reply.status(status)
    for (const [name, value] of Object.entries(headers)) reply.header(name, value)
    return { type, body: page }
  })

  bind(contract.viewEdgeSettings, ({ scope }) => edgeSettings(access, scope))
  bind(contract.updateEdgeSettings, ({ scope, body }, caller) => setEdgeSettings(access, caller, scope, body))
  bind(contract.traceAsHosted, ({ scope, body }) => trace(rulesets, scope, body))
  bind(contract.replayRules, ({ scope, body }, caller) => {
    // Records are what is read here, but the answer also tells the rules of a stored ruleset.
    if (typeof body.ruleset === 'string' && !may(caller, 'rulesets:read', scope)) throw problems.notPermitted()
    return replay({ db: rulesets.db, logs }, scope, body, { retentionDays: fetchLimits.retentionDays })
  })
}

// Node makes these from a pool of random bytes: a twentieth of the cost of asking for eight bytes each time.
const newRay = (): string => randomUUID().replaceAll('-', '').slice(0, 16)

/** What stands behind `/edge/decide`: an edge that sends the visitor's own request line puts it there. */
const belowOf = (url: string): string | undefined =>
  /^(?:\/client)?\/v4\/zones\/[^/?]+\/edge\/decide(\/.*)$/s.exec(url)?.[1]

const conventionOf = (url: string): Convention => {
  const as = new URLSearchParams(url.split('?')[1] ?? '').get('as')
  return as === 'auth_request' || as === 'answer' ? as : 'plain'
}

// As much as the largest plan of the hosted product lets rules see.
const mostBody = 128 * 1024

async function beginningOf(body: Readable | undefined): Promise<{ kept: string; size: number }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    if (size < mostBody) chunks.push((chunk as Buffer).subarray(0, mostBody - size))
    size += (chunk as Buffer).length
  }
  return { kept: Buffer.concat(chunks).toString('latin1'), size }
}

/** Counts what was not believed and says so, once a minute; a request told in two ways is refused. */
function makeDoubts({ edge, access }: EdgeRouteNeeds) {
  let saidAt = 0n
  return ({ doubt }: Visit, peer: string): Verdict | undefined => {
    if (doubt === undefined) return undefined
    edge.metrics.edgeDoubts.inc({ reason: doubt })
    const now = access.now()
    if (now - saidAt > 60n * second) {
      saidAt = now
      edge.log.warn({ peer, doubt }, 'an edge told about a request in a way that is not believed; see docs/edge')
    }
    return doubt === 'contradiction' ? contradicted : undefined
  }
}

const contradicted: Verdict = {
  kind: 'answer',
  answer: {
    kind: 'block',
    status: 403,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'The headers of this request contradict each other.\n',
  },
  decision: undefined,
}
