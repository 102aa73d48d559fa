/** Every resource's routes, and what they need. */
import type { AccessNeeds } from '../../access/index.ts'
import type { Metrics } from '../../base/index.ts'
import type { JobNeeds } from '../../jobs/index.ts'
import type { InflateLimits, LogNeeds, Tails } from '../../logs/index.ts'
import type { RulesetNeeds } from '../../rulesets/index.ts'
import type { Bind } from '../bind.ts'
import { bindAccess } from './access.ts'
import { bindAudit } from './audit.ts'
import { bindCatalogue } from './catalogue.ts'
import { bindEdge, type EdgeRouteNeeds } from './edge.ts'
import { bindLists } from './lists.ts'
import { bindLogexport } from './logexport.ts'
import { bindLogs, type FetchLimits } from './logs.ts'
import { bindPreview } from './preview.ts'
import { bindRulesets } from './rulesets.ts'
import { bindTail } from './tail.ts'

export type RouteNeeds = Pick<EdgeRouteNeeds, 'edge' | 'trust'> & {
  readonly access: AccessNeeds
  readonly jobs: JobNeeds
  readonly logs: LogNeeds
  readonly metrics: Metrics
  readonly ingestLimits: InflateLimits
  readonly fetchLimits: FetchLimits
  readonly rulesets: RulesetNeeds
}

export function bindAll(bind: Bind, needs: RouteNeeds & { readonly tails: Tails }): void {
  bindAccess(bind, needs.access)
  bindAudit(bind, needs.access)
  bindCatalogue(bind, needs)
  bindLogexport(bind, needs)
  bindPreview(bind, needs)
  bindTail(bind, needs)
  bindLogs(bind, needs)
  bindRulesets(bind, needs.rulesets)
  bindLists(bind, needs.rulesets)
  bindEdge(bind, needs)
}
