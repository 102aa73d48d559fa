/** Every resource's routes, and what they need. */
import type { AccessNeeds } from '../../access/index.ts'
import type { JobNeeds } from '../../jobs/index.ts'
import type { InflateLimits, LogNeeds } from '../../logs/index.ts'
import type { RulesetNeeds } from '../../rulesets/index.ts'
import type { Bind } from '../bind.ts'
import { bindAccess } from './access.ts'
import { bindAudit } from './audit.ts'
import { bindLists } from './lists.ts'
import { bindLogexport } from './logexport.ts'
import { bindLogs, type FetchLimits } from './logs.ts'
import { bindRulesets } from './rulesets.ts'

export type RouteNeeds = {
  readonly access: AccessNeeds
  readonly jobs: JobNeeds
  readonly logs: LogNeeds
  readonly ingestLimits: InflateLimits
  readonly fetchLimits: FetchLimits
  readonly rulesets: RulesetNeeds
}

export function bindAll(bind: Bind, needs: RouteNeeds): void {
  bindAccess(bind, needs.access)
  bindAudit(bind, needs.access)
  bindLogexport(bind, needs)
  bindLogs(bind, needs)
  bindRulesets(bind, needs.rulesets)
  bindLists(bind, needs.rulesets)
}
