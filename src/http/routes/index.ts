/** Every resource's routes, and what they need. */
import type { AccessNeeds } from '../../access/index.ts'
import type { Bind } from '../bind.ts'
import { bindAccess } from './access.ts'
import { bindAudit } from './audit.ts'

export type RouteNeeds = {
  readonly access: AccessNeeds
}

export function bindAll(bind: Bind, needs: RouteNeeds): void {
  bindAccess(bind, needs.access)
  bindAudit(bind, needs.access)
}
