/** How a job of the list went lately: asked for once its row has stood still for a moment, and kept for when it comes back. */
import { useEffect, useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useSession } from '../session.tsx'
import { type Job, type Window, windowsOf } from './job.ts'

export type Lately = { readonly lagSeconds: number; readonly windows: readonly Window[] }
type Known = { readonly lately: Lately; readonly about: string; readonly at: number }
export type LatelyKnown = Map<number, Known>

/** Rows that are only scrolled past ask nothing. */
const restMs = 300
/** A job that is behind falls further behind without telling; so long an answer is good. */
const goodForMs = 10_000

export function useLately(job: Job, known: LatelyKnown): Lately | undefined {
  const { client, scope } = useSession()
  const [round, setRound] = useState(0)
  const about = `${job.last_complete} ${job.last_error} ${job.enabled}`
  const kept = known.get(job.id)

  useEffect(() => {
    const gone = new AbortController()
    const kept = known.get(job.id)
    const waitMs = kept?.about === about ? Math.max(restMs, kept.at + goodForMs - Date.now()) : restMs
    const call = { scope, params: { job_id: job.id }, signal: gone.signal }
    const ask = async () => {
      const [status, deliveries] = await Promise.all([
        client.call(logexport.jobStatus, call),
        client.call(logexport.listDeliveries, { ...call, query: { per_page: 40 } }),
      ])
      const lately = { lagSeconds: status.lag_seconds, windows: windowsOf(deliveries).slice(-24) }
      known.set(job.id, { lately, about, at: Date.now() })
    }
    const timer = setTimeout(
      // A row without an answer shows none; the list itself says what is wrong with the service.
      () =>
        void ask().then(
          () => setRound(round + 1),
          () => undefined,
        ),
      waitMs,
    )
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [client, scope, job.id, about, known, round])
  return kept?.lately
}
