/** What a process answers by its roles: records with `ingest`, everything else with `api`; health and metrics always. */
import type { FastifyInstance } from 'fastify'
import { problems } from '../base/index.ts'

const always: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

/** To be called before any route is made. A path that does not exist has the role `api`: only there is it known to be none. */
export function keepToRoles(app: FastifyInstance, roles: readonly string[]): void {
  app.addHook('onRequest', async ({ routeOptions: { url, config } }) => {
    const { operation } = config as { readonly operation?: string }
    const wanted = operation === 'ingest' ? 'ingest' : 'api'
    if (!roles.includes(wanted) && !always.includes(url)) throw problems.otherRole(wanted, roles)
  })
}
