/** What a caller wants a job to be, judged as a whole, proven to be theirs, and as the columns it becomes. */
import type { Caller } from '../access/index.ts'
import { problems, type Reason, type Scope } from '../base/index.ts'
import type { Dataset } from '../datasets/index.ts'
import type { Destination } from '../destinations/index.ts'
import {
  type Ceilings,
  judgeCeilings,
  judgeConf,
  judgeSelection,
  mostReasons,
  type OptionTexts,
  withoutRedaction,
} from './draft.ts'
import { type JobNeeds, type JobRow, newSigningSecret, type Ownership } from './job.ts'
import { needsChallenge, provesOwnership } from './ownership.ts'

export type JobDraft = Ceilings & {
  readonly destination_conf: string
  readonly ownership_challenge?: string | null
  readonly dataset?: string | null
  readonly name?: string | null
  readonly enabled?: boolean | null
  readonly kind?: '' | 'edge' | null
  readonly logfetch_options?: string | null
  readonly output_options?: Record<string, unknown> | null
  readonly filter?: string | null
  readonly frequency?: 'high' | 'low' | null
}

/** Hosted clients may leave the challenge out where the string is itself a credential. */
export type Rules = { readonly ownership: Ownership }

export type JobChange = Partial<JobDraft>

export function knownDataset({ datasets }: Pick<JobNeeds, 'datasets'>, scope: Scope, name: string): Dataset {
  const dataset = datasets.find(name, scope.kind)
  if (!dataset) throw problems.datasetUnknown(name, scope.kind)
  return dataset
}

/** Everything a draft says, judged together so that every reason is told at once. */
export function judgeWhole(
  conf: string,
  texts: OptionTexts,
  draft: Ceilings,
  dataset: Dataset,
  kind: string,
): Destination {
  const destination = judgeConf(conf)
  const judged = [judgeSelection(texts, dataset), destination, judgeCeilings(draft)]
  const reasons: Reason[] = judged.flatMap((one) => (one.ok ? [] : one.reasons))
  if (kind === 'edge' && dataset.name !== 'http_requests') {
    reasons.push({ message: 'kind edge is only for http_requests', pointer: '/kind' })
  }
  if (reasons.length > 0 || !destination.ok) throw problems.invalid(reasons.slice(0, mostReasons))
  return destination.value
}

export function judgeStop(change: JobChange): undefined {
  const ceilings = judgeCeilings(change)
  if (!ceilings.ok) throw problems.invalid(ceilings.reasons)
}

export const isProven = (
  needs: JobNeeds,
  scope: Scope,
  destination: Destination,
  token: string | null | undefined,
  { ownership }: Rules,
): boolean => (token ? provesOwnership(needs, scope, destination.conf, token) : !needsChallenge(destination, ownership))

export function destinationColumns({ vault }: JobNeeds, destination: Destination, signing: string | null) {
  return {
    conf_sealed: vault.seal(destination.conf),
    destination_kind: destination.kind,
    destination_identity: destination.identity,
    // A receiver that moves, or gets a new key, goes on checking with the secrets it has.
    signing_sealed: destination.kind === 'https' ? (signing ?? vault.seal(JSON.stringify([newSigningSecret()]))) : null,
  }
}

export const textsOf = ({ logfetch_options, output_options, filter }: JobRow): OptionTexts => ({
  logfetch_options,
  output_options: output_options === null ? null : JSON.parse(output_options),
  filter,
})

export function changedTexts(caller: Caller, before: JobRow, change: JobChange): OptionTexts {
  const stored = textsOf(before)
  return savedBy(caller, {
    logfetch_options: change.logfetch_options === undefined ? stored.logfetch_options : change.logfetch_options,
    output_options: change.output_options === undefined ? stored.output_options : change.output_options,
    filter: change.filter === undefined ? stored.filter : (change.filter ?? ''),
  })
}

/** The redaction option is set through the API only. */
export const savedBy = (caller: Caller, texts: OptionTexts): OptionTexts =>
  caller.interface === 'UI' ? withoutRedaction(texts) : texts
