/**
 * The hosted product's spelling, understood in this one file: `/logpush/` for `/logexport/`, `logpull_options` for
 * `logfetch_options` in what comes in and goes out, and no challenge where the string is itself a credential. Live tail
 * is spelled `edge` in some clients and `edge/jobs` in others.
 */
import type { Ownership } from '../jobs/index.ts'

export type Dialect = 'own' | 'hosted'

const hostedPath = /^((?:\/client)?\/v4\/(?:zones|accounts)\/[^/?]+)\/logpush(?=[/?]|$)/

const longTailPath = /^((?:\/client)?\/v4\/zones\/[^/?]+\/logexport\/edge)\/jobs(?=\/?(?:\?|$))/

/** The path as the contract spells it. */
export const rewriteUrl = (url: string): string => url.replace(hostedPath, '$1/logexport').replace(longTailPath, '$1')

export const dialectOf = (originalUrl: string): Dialect => (hostedPath.test(originalUrl) ? 'hosted' : 'own')

/** The body of a request as the contract spells it. */
export const fromDialect = (dialect: Dialect, body: unknown): unknown =>
  dialect === 'hosted' ? renamed(withoutIdle(body), 'logpull_options', 'logfetch_options') : body

/** What clients send of their own accord to say that they do not want it, and what nobody here can turn on. */
function withoutIdle(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('filter_attack_traffic' in body)) return body
  const { filter_attack_traffic, ...rest } = body
  return filter_attack_traffic === false || filter_attack_traffic === null ? rest : body
}

/** A result as the caller spells it. */
export function toDialect(dialect: Dialect, result: unknown): unknown {
  if (dialect === 'own') return result
  return Array.isArray(result)
    ? result.map((item) => renamed(item, 'logfetch_options', 'logpull_options'))
    : renamed(result, 'logfetch_options', 'logpull_options')
}

function renamed(value: unknown, from: string, to: string): unknown {
  if (typeof value !== 'object' || value === null || !(from in value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key === from ? to : key, one]))
}

export const rulesFor = (dialect: Dialect, rules: { readonly ownership: Ownership }): { ownership: Ownership } =>
  dialect === 'hosted' ? { ownership: 'storage' } : rules
