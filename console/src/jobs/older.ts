/** Deliveries beyond the newest page: asked for a page at a time, and kept while new ones come in above them. */
import { useEffect, useState } from 'react'
import { type Envelope, logexport } from '../../../src/contract/index.ts'
import { type Action, useAction } from '../asking.ts'
import { useSession } from '../session.tsx'
import type { Delivery } from './job.ts'

export const perPage = 200

type Older = { readonly deliveries: readonly Delivery[]; readonly cursor: string | undefined }

export type Pages = {
  readonly deliveries: readonly Delivery[]
  /** Undefined when there is nothing older. */
  readonly more: Action<[]> | undefined
}

export function useOlder(job: number, newest: Envelope<readonly Delivery[]>): Pages {
  const { client, scope } = useSession()
  const [older, setOlder] = useState<Older>()
  const deliveries = older ? joined(newest.result, older.deliveries) : newest.result
  const cursor = older ? older.cursor : cursorOf(newest)

  // What new deliveries push off the newest page stays.
  useEffect(() => {
    setOlder((before) => before && { ...before, deliveries: joined(newest.result, before.deliveries) })
  }, [newest])

  const more = useAction(async () => {
    const query = { per_page: perPage, ...(cursor === undefined ? {} : { cursor }) }
    const page = await client.ask(logexport.listDeliveries, { scope, params: { job_id: job }, query })
    setOlder({ deliveries: joined(deliveries, page.result), cursor: cursorOf(page) })
  })
  return { deliveries, more: cursor === undefined ? undefined : more }
}

/** Newest first, each once; what the first list says of a delivery is newer. */
function joined(first: readonly Delivery[], second: readonly Delivery[]): readonly Delivery[] {
  const last = first.at(-1)
  return last ? [...first, ...second.filter(({ id }) => id < last.id)] : second
}

const cursorOf = ({ result_info: info }: Envelope<unknown>): string | undefined =>
  typeof info?.cursor === 'string' && info.cursor !== '' ? info.cursor : undefined
