/** The destination kinds, and the one judgement that turns a string into a destination. */
import { accept, type Judged, reject } from '../base/index.ts'
import { azure } from './azure.ts'
import { judgeText, maskConf } from './conf.ts'
import { datadog } from './datadog.ts'
import {
  type DestinationKind,
  type Limits,
  type Outcome,
  type Outside,
  OutsideError,
  type Parcel,
  type Sight,
} from './destination.ts'
import { cleanReason } from './exchange.ts'
import { file } from './file.ts'
import { gcs } from './gcs.ts'
import { https } from './https.ts'
import { newrelic } from './newrelic.ts'
import { r2 } from './r2.ts'
import { s3 } from './s3.ts'
import { splunk } from './splunk.ts'
import { sumo } from './sumo.ts'

export {
  type Answer,
  type AwsCredentials,
  type Body,
  type Outcome,
  type OutgoingRequest,
  type Outside,
  OutsideError,
  type Parcel,
  type Sight,
  type StoreKind,
  type Trouble,
} from './destination.ts'
export { makeNetworkPolicy, type NetworkPolicy } from './network.ts'

/** A kind as the registry holds it: its page, and its judgement with the target's type closed over. */
export type AnyKind = Pick<
  DestinationKind<never>,
  'kind' | 'title' | 'says' | 'examples' | 'isObjectStore' | 'limits' | 'claims'
> & { judge(conf: string): Judged<Destination> }

/** A judged destination string. What it means stays inside; what others need to know is said here. */
export type Destination = {
  readonly kind: string
  /** As it was written, secrets and all. */
  readonly conf: string
  readonly identity: string
  readonly masked: string
  readonly secrets: readonly string[]
  readonly isObjectStore: boolean
  readonly provenByCredential: boolean
  readonly limits: Limits
  /** For object stores the whole key, with the directory filled in for this time; for others the leaf alone. */
  objectName(at: Date, leaf: string): string
  /** Tries once. What the world failed to do is an outcome too, and no reason holds a secret. */
  deliver(parcel: Parcel, outside: Outside): Promise<Outcome>
  /** Whether the object is there and how long it is; undefined for a kind that keeps no objects. */
  look: ((name: string, outside: Outside) => Promise<Sight>) | undefined
}

/** Asked in this order. New Relic's address is an https URL too, so it comes before the generic kind. */
export const kinds: readonly AnyKind[] = [
  close(s3),
  close(gcs),
  close(azure),
  close(datadog),
  close(newrelic),
  close(splunk),
  close(sumo),
  close(r2),
  close(https),
  close(file),
]

export function judgeDestination(conf: string): Judged<Destination> {
  const text = judgeText(conf)
  if (!text.ok) return text
  const kind = kinds.find((candidate) => candidate.claims(conf))
  return kind ? kind.judge(conf) : reject(`expected one of ${schemes.join(', ')}`)
}

const schemes = [...new Set(kinds.flatMap(({ examples }) => examples).map((conf) => conf.replace(/:.*/, '://')))]

function close<T>(kind: DestinationKind<T>): AnyKind {
  return {
    ...kind,
    judge(conf) {
      const target = kind.parse(conf)
      return target.ok ? accept(describe(kind, conf, target.value)) : target
    },
  }
}

function describe<T>(kind: DestinationKind<T>, conf: string, target: T): Destination {
  const secrets = kind.secrets(target)
  const { look } = kind
  return {
    kind: kind.kind,
    conf,
    identity: kind.identity(target),
    masked: maskConf(conf, secrets),
    secrets,
    isObjectStore: kind.isObjectStore,
    provenByCredential: kind.provenByCredential(target),
    limits: kind.limits ?? {},
    objectName: (at, leaf) => kind.objectName(target, at, leaf),
    async deliver(parcel, outside) {
      const outcome = await attempt(kind, target, parcel, outside)
      return outcome.outcome === 'delivered' ? outcome : { ...outcome, reason: cleanReason(outcome.reason, secrets) }
    },
    look:
      look &&
      (async (name, outside) => {
        const sight = await glance(() => look(target, name, outside))
        return sight.sight === 'hidden' ? { ...sight, reason: cleanReason(sight.reason, secrets) } : sight
      }),
  }
}

async function attempt<T>(kind: DestinationKind<T>, target: T, parcel: Parcel, outside: Outside): Promise<Outcome> {
  try {
    return await kind.deliver(target, parcel, outside)
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error
    // What our own policy forbids stays forbidden; whatever else the world did may pass.
    const isPolicy = error.trouble === 'blocked' || error.trouble === 'off'
    return { outcome: isPolicy ? 'refused' : 'retry', reason: error.message }
  }
}

/** What hinders us from looking hides the object; it says nothing of it. */
async function glance(look: () => Promise<Sight>): Promise<Sight> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error
    return { sight: 'hidden', reason: error.message }
  }
}
