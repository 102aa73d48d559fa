/**
 * The hosted product's spelling, understood in this one file: `/logpush/` for `/logexport/`, `logpull_options` for
 * `logfetch_options` in what comes in and goes out, and no challenge where the string is itself a credential. Live tail
 * is spelled `edge` in some clients and `edge/jobs` in others.
 */
import type { Detail } from '../base/index.ts'
import type { Ownership } from '../jobs/index.ts'

export type Dialect = 'own' | 'hosted'

const hostedPath = /^((?:\/client)?\/v4\/(?:zones|accounts)\/[^/?]+)\/logpush(?=[/?]|$)/

const longTailPath = /^((?:\/client)?\/v4\/zones\/[^/?]+\/logexport\/edge)\/jobs(?=\/?(?:\?|$))/

/** The path as the contract spells it. */
export const rewriteUrl = (url: string): string =>
  localPart(url).replace(hostedPath, '$1/logexport').replace(longTailPath, '$1')

export const dialectOf = (originalUrl: string): Dialect => (hostedPath.test(localPart(originalUrl)) ? 'hosted' : 'own')

/** A request line may carry the whole address (RFC 9112, 3.2.2); `*` and the like are a path that leads nowhere. */
function localPart(url: string): string {
  const local = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return local.startsWith('/') ? local : `/${local}`
}

/** The body of a request as the contract spells it. */
export function fromDialect(dialect: Dialect, body: unknown): unknown {
  if (dialect === 'own' || !isObject(body)) return body
  const { logpull_options, filter_attack_traffic, ...rest } = body
  for (const name of answersOnly) delete rest[name]
  return {
    ...rest,
    ...(logpull_options === undefined ? {} : { logfetch_options: logpull_options }),
    // Nothing here can turn it on; clients also send it to say that they do not want it.
    ...(filter_attack_traffic ? { filter_attack_traffic } : {}),
    ...(isObject(rest.output_options) ? { output_options: renamed(rest.output_options, misspelt, correct) } : {}),
  }
}

/** Clients read a job, change it and send back all they read. */
const answersOnly = ['id', 'last_complete', 'last_error', 'error_message', 'logstream']

// An early schema of the hosted product lost a digit, and clients were generated from it.
const [misspelt, correct] = ['CVE-2021-4428', 'CVE-2021-44228']

/** A result as the caller spells it. */
export function toDialect(dialect: Dialect, result: unknown): unknown {
  if (dialect === 'own') return result
  return Array.isArray(result)
    ? result.map((item) => renamed(item, 'logfetch_options', 'logpull_options'))
    : renamed(result, 'logfetch_options', 'logpull_options')
}

/** What was wrong, in the caller's words. */
export const detailsIn = (dialect: Dialect, details: readonly Detail[]): readonly Detail[] =>
  dialect === 'own'
    ? details
    : details.map((detail) => ({
        ...detail,
        message: detail.message.replaceAll('logfetch_options', 'logpull_options').replace('/logexport/', '/logpush/'),
        ...(detail.pointer === undefined
          ? {}
          : { pointer: detail.pointer.replace(/^\/logfetch_options(?=\/|$)/, '/logpull_options') }),
      }))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function renamed(value: unknown, from: string, to: string): unknown {
  if (!isObject(value) || !(from in value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key === from ? to : key, one]))
}

export const rulesFor = (dialect: Dialect, rules: { readonly ownership: Ownership }): { ownership: Ownership } =>
  dialect === 'hosted' ? { ownership: 'storage' } : rules
