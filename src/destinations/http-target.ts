/** Where the HTTP kinds send: a URL written with another scheme in place of https, and headers from `header_*`. */
import { fingerprint, type Reason } from '../base/index.ts'
import { type Conf, decode, judgeHost, judgeUrlPath, type Parameter } from './conf.ts'

export type HttpTarget = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

/** The https URL that a taken-apart string means, with only these of its parameters. */
export function httpsUrl(conf: Conf, kept: readonly Parameter[], reasons: Reason[], defaultPath = '/'): URL {
  const host = judgeHost(conf.authority)
  if (!host.ok) reasons.push(...host.reasons)
  const path = judgeUrlPath(conf.path === '' ? defaultPath : conf.path, reasons)
  const query = kept.map(({ raw }) => raw).join('&')
  const url = URL.parse(`https://${host.ok ? host.value : 'refused.invalid'}${path}${query === '' ? '' : `?${query}`}`)
  // What is called must be what was judged, to the letter.
  if (url && (!host.ok || url.host === host.value) && url.pathname === path) return url
  reasons.push({ message: 'the address does not survive being read as a URL' })
  return new URL('https://refused.invalid')
}

/** Host and path as they are; parameters in one order, and anything that may be secret only as its fingerprint. */
export function httpIdentity(scheme: string, { url, headers }: HttpTarget, isPlain: (name: string) => boolean): string {
  const shown = [...url.searchParams].map(
    ([name, value]) => `${name}=${isPlain(name) ? value : `#${fingerprint(value)}`}`,
  )
  const sealed = Object.entries(headers).map(([name, value]) => `header_${name.toLowerCase()}=#${fingerprint(value)}`)
  const parts = [...shown, ...sealed].sort()
  return `${scheme}://${url.host}${url.pathname}${parts.length === 0 ? '' : `?${parts.join('&')}`}`
}

/**
 * The values of a URL's parameters, in both readings of `+`: as it stands, which is how a string is taken apart here, and
 * as a space, which is how a provider may send it back.
 */
export const parameterSecrets = (url: URL, isSecret: (name: string) => boolean = () => true): readonly string[] =>
  [url.search, url.search.replaceAll('+', '%20')].flatMap((query) =>
    query
      .slice(1)
      .split('&')
      .map((pair) => pair.split('='))
      .filter(([name = '']) => isSecret(decode(name) ?? name))
      .map(([, ...value]) => decode(value.join('=')) ?? '')
      .filter((value) => value !== ''),
  )

/** A header's value, and what follows its scheme word: a provider may send back either. */
export const headerSecrets = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers).flatMap((value) => [value, ...value.split(' ').slice(1)])
