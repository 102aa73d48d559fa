/** What a job of the list delivered lately: asked for once its row has stood still for a moment, and kept for when it comes back. */
import { useEffect, useState } from 'react'
import { logexport } from '../../../src/contract/index.ts'
import { useSession } from '../session.tsx'
import { type Job, type Window, windowsOf } from './job.ts'

export type Lately = readonly Window[]
type Known = { readonly lately: Lately; readonly about: string }
export type LatelyKnown = Map<number, Known>

/** Rows that are only scrolled past ask nothing. */
const restMs = 300

export function useLately(job: Job, known: LatelyKnown): Lately | undefined {
  const { client, scope } = useSession()
  const [, setAnswered] = useState<Lately>()
  const { id } = job
  const about = `${job.last_complete} ${job.last_error} ${job.enabled}`

  useEffect(() => {
    if (known.get(id)?.about === about) return
    const gone = new AbortController()
    const ask = async () => {
      const call = { scope, params: { job_id: id }, query: { per_page: 40 }, signal: gone.signal }
      const lately = windowsOf(await client.call(logexport.listDeliveries, call)).slice(-24)
      known.set(id, { lately, about })
      setAnswered(lately)
    }
    // A row without an answer shows none; the list itself says what is wrong with the service.
    const timer = setTimeout(() => void ask().catch(() => undefined), restMs)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [client, scope, id, about, known])
  return known.get(id)?.lately
}
