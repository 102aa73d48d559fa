/** Opens sessions of live tail; `http/tail.ts` serves their WebSockets. */
import { type AccessNeeds, may } from '../../access/index.ts'
import { accept, isAnswer, type Judged, problems } from '../../base/index.ts'
import { type BodyOf, tail as contract } from '../../contract/index.ts'
import { type Dataset, judgeFilter, judgeOutputOptions } from '../../datasets/index.ts'
import type { LogNeeds, TailAsked, TailSession, Tails } from '../../logs/index.ts'
import type { Asked, Bind } from '../bind.ts'
import { callerBy } from '../caller.ts'
import { addressOfSession } from '../tail.ts'

type TailRouteNeeds = { readonly access: AccessNeeds; readonly logs: LogNeeds; readonly tails: Tails }

export function bindTail(bind: Bind, { access, logs, tails }: TailRouteNeeds): void {
  bind(contract.openTail, (asked) => {
    const dataset = logs.datasets.find('http_requests', 'zone')
    if (!dataset) throw problems.datasetUnknown('http_requests', 'zone')
    const judged = judgeTail(asked.body, dataset)
    if (!judged.ok) throw problems.invalid(judged.reasons)
    return shown(
      tails.open(asked.scope, judged.value, () => isStillAllowed(access, asked)),
      asked,
    )
  })
  bind(contract.listTails, (asked) => tails.list(asked.scope).map((session) => shown(session, asked)))
}

/** A session outlives the request it was asked for with, but not its credential or what that was permitted. */
async function isStillAllowed(
  access: AccessNeeds,
  { headers, peer, scope }: Asked<typeof contract.openTail>,
): Promise<boolean> {
  try {
    return may(await callerBy(access, headers, peer), contract.openTail.allowed, scope)
  } catch (error) {
    // A database that does not answer revokes nothing.
    return !isAnswer(error)
  }
}

const shown = (
  { id, fields, sample, filter }: TailSession,
  { origin, headers }: Pick<Asked<never>, 'origin' | 'headers'>,
) => ({
  session_id: id,
  destination_conf: addressOfSession(id, origin, headers),
  fields,
  sample,
  filter,
  kind: 'instant-logs',
})

function judgeTail(body: BodyOf<typeof contract.openTail>, dataset: Dataset): Judged<TailAsked> {
  const sample = body.sample ?? 1
  const text = body.fields ?? ''
  const options = judgeOutputOptions(
    {
      field_names: text === '' ? null : text.split(',').map((name) => name.trim()),
      // Each record says how many it stands for.
      record_suffix: `,"sampleInterval":${sample}}\n`,
    },
    dataset,
  )
  const filter = judgeFilter(body.filter ?? '', dataset, 'instant')
  const reasons = [
    ...(options.ok ? [] : options.reasons.map(({ message }) => ({ message, pointer: '/fields' }))),
    ...(filter.ok ? [] : filter.reasons.map(({ message }) => ({ message, pointer: '/filter' }))),
  ]
  if (!options.ok || !filter.ok) return { ok: false, reasons }
  const selection = { ...options.value, sample: 1 / sample, filter: filter.value }
  return accept({ dataset, selection, fields: selection.fields.join(','), sample, filter: body.filter ?? '' })
}
