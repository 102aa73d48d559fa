/**
 * The catalogue of refusals: whatever aborts a request is one of these, with a stable code and a sentence that says what
 * to do. A problem knows why it refuses; only `http/problems.ts` knows which status that is.
 */
import type { Reason } from './judged.ts'

export type Refusal =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'method'
  | 'timeout'
  | 'changed'
  | 'tooLarge'
  | 'mediaType'
  | 'tooMany'
  | 'misdirected'
  | 'unavailable'

export type Detail = { readonly code: number; readonly message: string; readonly pointer?: string }

export class Problem extends Error {
  readonly refusal: Refusal
  readonly details: readonly [Detail, ...Detail[]]
  /** Seconds after which the caller may try again. */
  readonly retryAfter: number | undefined

  constructor(refusal: Refusal, details: readonly [Detail, ...Detail[]], retryAfter?: number) {
    super(details[0].message)
    this.name = 'Problem'
    this.refusal = refusal
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** Whether an error answers what was asked; a store that is away, and a bug of ours, say nothing about it. */
export const isAnswer = (error: unknown): boolean => error instanceof Problem && error.refusal !== 'unavailable'

const refuse = (refusal: Refusal, code: number, message: string, pointer?: string): Problem =>
  new Problem(refusal, [pointer === undefined ? { code, message } : { code, message, pointer }])

/** A judgement that went against the caller, turned into a refusal that carries every reason. */
const judgedAgainst = (code: number, reasons: readonly Reason[]): Problem => {
  const [first, ...rest] = reasons.map((reason) => ({
    code: reason.code ?? code,
    message: reason.message,
    ...(reason.pointer === undefined ? {} : { pointer: reason.pointer }),
  }))
  return new Problem('invalid', [first ?? { code, message: 'invalid input' }, ...rest])
}

const malformedHeader = (code: number, name: string): Problem =>
  new Problem('invalid', [
    { code: 6003, message: 'Invalid request headers' },
    { code, message: `Invalid format for ${name} header` },
  ])

export const problems = {
  // Requests that reach no operation.
  noRoute: (path: string) =>
    new Problem('missing', [
      { code: 7003, message: `Could not route to ${path}, perhaps your object identifier is invalid?` },
      { code: 7000, message: 'No route for that URI' },
    ]),
  methodNotAllowed: (method: string, allowed: readonly string[]) =>
    refuse('method', 7001, `Method ${method} is not available for that URI; use ${allowed.join(' or ')}`),
  malformedBody: (why: string) => refuse('invalid', 6007, `Malformed JSON in request body: ${why}`),
  malformedRequest: (why: string) => refuse('invalid', 6004, `Malformed request: ${why}`),
  bodyTooLarge: (limit: number | 'allowed') =>
    refuse('tooLarge', 6005, `The request body is larger than ${limit} bytes`),
  wrongMediaType: (got: string, wanted: string) =>
    refuse('mediaType', 6006, `Content-Type ${got || '(none)'} is not understood here; send ${wanted}`),
  wrongEncoding: (got: string) => refuse('mediaType', 6008, `Content-Encoding ${got} is not understood here`),
  invalid: (reasons: readonly Reason[], code = 1002) => judgedAgainst(code, reasons),
  rateLimited: (limit: number, windowSeconds: number, retryAfter: number) =>
    new Problem(
      'tooMany',
      [{ code: 10429, message: `More than ${limit} requests per ${windowSeconds} seconds; wait ${retryAfter} s` }],
      retryAfter,
    ),
  otherRole: (wanted: string, roles: readonly string[]) =>
    refuse(
      'misdirected',
      10421,
      `This process has the role ${roles.join(', ')}; send the request to one with the role ${wanted}`,
    ),
  busy: (why: string, retryAfter: number) => new Problem('tooMany', [{ code: 10430, message: why }], retryAfter),
  keyReused: () => refuse('invalid', 6009, 'This Idempotency-Key was used before with another body'),
  unavailable: (why: string, retryAfter = 2) => new Problem('unavailable', [{ code: 10503, message: why }], retryAfter),

  // Who is asking.
  emailMissing: () => refuse('invalid', 9106, 'Missing X-Auth-Key, X-Auth-Email or Authorization headers'),
  keyMissing: () => refuse('invalid', 9107, 'Missing X-Auth-Key header'),
  malformedEmail: () => malformedHeader(6102, 'X-Auth-Email'),
  malformedKey: () => malformedHeader(6103, 'X-Auth-Key'),
  malformedAuthorization: () => malformedHeader(6111, 'Authorization'),
  unknownKey: () => refuse('forbidden', 9103, 'Unknown X-Auth-Key or X-Auth-Email'),
  invalidToken: () => refuse('forbidden', 9109, 'Invalid access token'),
  tokenNotVerified: () => refuse('unauthenticated', 1000, 'Invalid API Token'),
  notPermitted: () => refuse('forbidden', 10000, 'Authentication error'),

  // Accounts, zones, members, tokens.
  accountMissing: () => refuse('missing', 1003, 'account not found'),
  zoneMissing: () => refuse('missing', 1001, 'zone not found'),
  memberMissing: () => refuse('missing', 1005, 'member not found'),
  tokenMissing: () => refuse('missing', 1006, 'token not found'),
  zoneTaken: (name: string) => refuse('invalid', 1061, `${name} already exists in this account`, '/name'),
  memberTaken: (email: string) => refuse('invalid', 1062, `${email} is already a member of this account`, '/email'),
  accountNotEmpty: () => refuse('invalid', 1063, 'the account still has zones; delete them first'),

  // Rulesets and lists.
  unknownPhase: (name: string) => refuse('invalid', 20222, `unknown phase "${name.slice(0, 100)}"`),
  rulesetMissing: (id: string) => refuse('missing', 10001, `could not find ruleset ${id}`),
  entryPointMissing: (phase: string) =>
    refuse('missing', 10003, `could not find entrypoint ruleset in the ${phase} phase`),
  versionMissing: (version: string) => refuse('missing', 10002, `could not find version ${version} of the ruleset`),
  ruleMissing: (id: string) => refuse('missing', 10004, `could not find rule ${id} in the ruleset`),
  entryPointTaken: (kind: string, phase: string) =>
    refuse(
      'invalid',
      20217,
      `'${kind}' is not a valid value for kind because exceeded maximum number of ${kind} rulesets for phase ${phase}`,
      '/kind',
    ),
  rulesetChanged: (version: string) =>
    refuse('changed', 20412, `the ruleset is not at the version of If-Match; its version is ${version}`),
  rulesetBusy: () =>
    new Problem('tooMany', [{ code: 20429, message: 'too many changes to this ruleset at once; try again' }], 1),
  rulesetInUse: (what: string, executors: readonly string[]) =>
    refuse('invalid', 20219, `${what} cannot be deleted while it is executed by ${executors.join(', ')}`),
  onlyVersion: () =>
    refuse('invalid', 20220, 'the only version of a ruleset cannot be deleted; delete the ruleset instead'),
  notYourRuleset: (why: string) => refuse('invalid', 20221, why),
  listMissing: (id: string) => refuse('missing', 10005, `could not find list ${id}`),
  listItemMissing: (id: string) => refuse('missing', 10006, `could not find item ${id} in the list`),
  listTaken: (name: string) => refuse('invalid', 10007, `a list named '${name}' exists already`, '/name'),
  listInUse: (name: string, users: readonly string[]) =>
    refuse('invalid', 10008, `the list '${name}' cannot be deleted while it is used by ${users.join(', ')}`),

  // Export jobs.
  jobMissing: (id: number) => refuse('missing', 1008, `job not found: ${id}`),
  datasetUnknown: (name: string, scope: string) =>
    refuse('invalid', 1002, `'${name.slice(0, 100)}' is not a dataset of a ${scope}`, '/dataset'),
  wrongChallenge: () => refuse('invalid', 1002, 'incorrect ownership challenge', '/ownership_challenge'),
  destinationInUse: () =>
    refuse(
      'invalid',
      1002,
      'another job already writes to this destination; choose another directory',
      '/destination_conf',
    ),
  tooManyJobs: (dataset: string) =>
    refuse('forbidden', 1004, `creating a new job is not allowed: exceeded max jobs allowed (for ${dataset} dataset)`),
  nothingToRepeat: () =>
    refuse('invalid', 1002, 'the range ends before it begins, or the job has not exported any of it yet', '/start'),
  notSigned: (kind: string) =>
    refuse(
      'invalid',
      1002,
      `requests to a destination of the kind ${kind} are not signed; those of the kind https are`,
    ),
  tailTaken: () =>
    refuse('forbidden', 1004, 'opening a new session is not allowed: somebody reads the one session of this zone'),
  tailMissing: () => refuse('missing', 1009, 'there is no such session, or it is over'),
  fixed: (field: string) => refuse('invalid', 1002, `${field} of a job cannot be changed; make a new job`, `/${field}`),
} as const
