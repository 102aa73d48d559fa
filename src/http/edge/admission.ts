/**
 * Credentials of an edge, remembered for a second: it asks the same way thousands of times. A token that was revoked is
 * good for one second more, and a changed rule is in force as late. While the database does not answer, what it last said
 * holds for ten minutes, because an edge must outlive a restart of the database.
 */
import type { FastifyRequest } from 'fastify'
import { isAnswer, type Nanos, second } from '../../base/index.ts'
import type { Admit, BindNeeds, Known } from '../bind.ts'
import { addressOf } from '../caller.ts'

const fresh = second
const usableInNeed = 600n * second
const most = 10_000

export function rememberFor(needs: BindNeeds, admit: Admit): Admit {
  const known = new Map<string, { readonly found: Known; readonly at: Nanos }>()
  return async (_, operation, request, reply) => {
    const key = keyOf(request)
    const now = needs.now()
    const before = known.get(key)
    const age = before ? now - before.at : 0n
    if (before && age >= 0n && age < fresh) return before.found
    try {
      const found = await admit(needs, operation, request, reply)
      known.delete(key)
      known.set(key, { found, at: now })
      if (known.size > most) for (const oldest of known.keys()) if (known.delete(oldest)) break
      return found
    } catch (error) {
      if (isAnswer(error) || !before || age > usableInNeed) {
        known.delete(key)
        throw error
      }
      needs.metrics.decisionFailures.inc({ instead: 'last known credentials' })
      return before.found
    }
  }
}

/** Headers hold no line breaks, so no two credentials make one key. Hashing them cost 7 % of a decision. */
function keyOf(request: FastifyRequest): string {
  const { authorization = '', 'x-auth-email': email = '', 'x-auth-key': key = '' } = request.headers
  const { zone_id: zone = '' } = request.params as { zone_id?: string }
  return `${zone}\n${authorization}\n${email}\n${key}\n${addressOf(request)}`
}
