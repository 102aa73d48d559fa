/**
 * Proof that a destination is the caller's: a signed token is written there, and only who can read the destination can
 * say it. The token is bound to the scope and to the exact destination string, ends after seven days, and is kept nowhere.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Nanos, type Scope, sameSecret, sayReasons, toSeconds, type Vault } from '../base/index.ts'
import { type Destination, judgeDestination, type Outcome, type Outside, type Parcel } from '../destinations/index.ts'
import type { JobNeeds, Ownership } from './job.ts'

const lifetimeSeconds = 7 * 24 * 3600

/** How long a caller waits for a word about a destination; answers must come within ten seconds. */
const checkWithinMs = 8_000

/** A request ends after its time, and with it all that came before it, such as asking for our own identity. */
export const outsideForChecks = ({ outside }: Pick<JobNeeds, 'outside'>): Outside =>
  outside(checkWithinMs, AbortSignal.timeout(checkWithinMs + 1_000))

export type Challenge = { readonly valid: boolean; readonly message: string; readonly filename: string }

export async function issueChallenge(needs: JobNeeds, scope: Scope, conf: string): Promise<Challenge> {
  const judged = judgeDestination(conf)
  if (!judged.ok) return { valid: false, message: sayReasons(judged.reasons), filename: '' }
  const destination = judged.value
  const at = needs.now()
  const token = makeToken(needs.vault, scope, conf, at)
  const leaf = `ownership-challenge-${randomBytes(4).toString('hex')}.txt`
  const outside = outsideForChecks(needs)
  const filename = destination.objectName(outside.now(), leaf)
  // An HTTP receiver has no files: it gets one record that carries the name and the token.
  const text = destination.isObjectStore ? `${token}\n` : `${JSON.stringify({ filename, content: token })}\n`
  const outcome = await destination.deliver(plainParcel(destination, filename, text), outside)
  if (outcome.outcome !== 'delivered') return { valid: false, message: sayOutcome(outcome), filename: '' }
  return { valid: true, message: '', filename }
}

export function plainParcel(destination: Destination, name: string, text: string): Parcel {
  return {
    name,
    body: Buffer.from(text),
    contentType: destination.isObjectStore ? 'text/plain' : 'application/json',
    contentEncoding: 'identity',
    batchId: name,
  }
}

export const sayOutcome = (outcome: Exclude<Outcome, { outcome: 'delivered' }>): string =>
  `error writing to the destination: ${outcome.reason}`

/** True when the token was written to this very destination for this very scope, and has not ended. */
export function provesOwnership(
  { vault, now }: Pick<JobNeeds, 'vault' | 'now'>,
  scope: Scope,
  conf: string,
  token: string,
): boolean {
  // The file ends with a line feed, and who copies the line copies it too.
  const [head = '', claims = '', signature = '', ...rest] = token.trim().split('.')
  if (rest.length > 0 || !sameSecret(signature, sign(vault, `${head}.${claims}`))) return false
  const { object, id, destination, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims
  return object === scope.kind && id === scope.id && destination === digest(conf) && exp > toSeconds(now())
}

type Claims = { readonly object: string; readonly id: string; readonly destination: string; readonly exp: number }

function makeToken(vault: Vault, scope: Scope, conf: string, at: Nanos): string {
  const claims: Claims = {
    object: scope.kind,
    id: scope.id,
    destination: digest(conf),
    exp: toSeconds(at) + lifetimeSeconds,
  }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${sign(vault, signed)}`
}

/** Nothing else that the service ever signs can pass for a token. */
const sign = (vault: Vault, text: string): string => vault.sign(`ownership challenge ${text}`)

/** The string itself may hold secrets, and the token is readable by whoever reads the destination. */
const digest = (conf: string): string => createHash('sha256').update(conf).digest('base64url')

/** Whether a job may be made without a challenge: only where the operator relaxed it, and the string is itself a credential. */
export const needsChallenge = (destination: Destination, ownership: Ownership): boolean =>
  ownership === 'always' || !destination.provenByCredential
