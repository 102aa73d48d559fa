/** The questions a caller may ask before making a job. A negative answer is an answer, not an error. */
import { gzipSync } from 'node:zlib'
import { problems, type Scope, sayReasons } from '../base/index.ts'
import { judgeOptions } from '../datasets/index.ts'
import { judgeDestination } from '../destinations/index.ts'
import { mostReasons } from './draft.ts'
import type { JobNeeds } from './job.ts'
import { outsideForChecks, plainParcel, sayOutcome } from './ownership.ts'

/** True when a job of anybody writes there; nothing else is told. */
export async function destinationExists({ db }: Pick<JobNeeds, 'db'>, conf: string): Promise<boolean> {
  const judged = judgeDestination(conf)
  if (!judged.ok)
    throw problems.invalid(judged.reasons.map(({ message }) => ({ message, pointer: '/destination_conf' })))
  const { identity } = judged.value
  const job = await db.selectFrom('jobs').select('id').where('destination_identity', '=', identity).executeTakeFirst()
  return job !== undefined
}

export type Verdict = { readonly valid: boolean; readonly message: string }

const fine: Verdict = { valid: true, message: '' }

/** Writes a small object (or record) that every receiver must tolerate, and leaves it there. */
export async function checkDestination(needs: JobNeeds, conf: string): Promise<Verdict> {
  const judged = judgeDestination(conf)
  if (!judged.ok) return { valid: false, message: sayReasons(judged.reasons) }
  const outside = outsideForChecks(needs)
  const name = judged.value.objectName(outside.now(), 'test.txt.gz')
  const parcel = plainParcel(judged.value, name, '')
  const outcome = await judged.value.deliver(
    { ...parcel, body: gzipSync('{"content":"tests"}\n'), contentEncoding: 'gzip' },
    outside,
  )
  return outcome.outcome === 'delivered' ? fine : { valid: false, message: sayOutcome(outcome) }
}

/** Whether an option string fits a dataset; `http_requests` when none is named. */
export function judgeOrigin(
  { datasets }: Pick<JobNeeds, 'datasets'>,
  scope: Scope,
  options: string,
  dataset = 'http_requests',
): Verdict {
  const known = datasets.find(dataset, scope.kind)
  if (!known) return { valid: false, message: problems.datasetUnknown(dataset, scope.kind).message }
  const judged = judgeOptions(options, known)
  return judged.ok ? fine : { valid: false, message: sayReasons(judged.reasons.slice(0, mostReasons)) }
}
