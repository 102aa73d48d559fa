/** How a destination string is taken apart: scheme, authority, path and parameters, each judged before it is used. */
import { accept, type Judged, judgedBy, type Reason, reject } from '../base/index.ts'

export type Parameter = {
  readonly name: string
  /** Percent-decoded once; `+` stays `+`, as it must in signatures and base64. */
  readonly value: string
  /** `name=value` as it was written. */
  readonly raw: string
}

export type Conf = {
  readonly scheme: string
  readonly authority: string
  readonly path: string
  readonly parameters: readonly Parameter[]
}

const longestConf = 4096
const mostParameters = 50

/** True when the string begins with `<scheme>://`, in any letter case. */
export const hasScheme = (conf: string, scheme: string): boolean =>
  conf.slice(0, scheme.length + 3).toLowerCase() === `${scheme}://`

/**
 * Only visible ASCII gets past here. A URL parser would drop tabs and soft hyphens and fold look-alike digits, so that
 * the host we show would not be the host we call.
 */
export function judgeText(conf: string): Judged<string> {
  if (conf.length > longestConf) return reject(`destination_conf is longer than ${longestConf} characters`)
  const odd = /[^\x21-\x7e]/.exec(conf)
  if (odd) {
    const codePoint = (conf.codePointAt(odd.index) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return reject(
      `character U+${codePoint} at position ${odd.index + 1} is not visible ASCII; percent-encode it, and write a host name in its xn-- form`,
    )
  }
  const mark = /[\\#]/.exec(conf)
  if (mark) return reject(`"${mark[0]}" at position ${mark.index + 1} is not allowed; percent-encode it in a value`)
  return accept(conf)
}

export function takeApart(conf: string): Judged<Conf> {
  const text = judgeText(conf)
  if (!text.ok) return text
  const parts = /^([a-z][a-z0-9]*):\/\/([^/?]*)(\/[^?]*)?(?:\?(.*))?$/i.exec(conf)
  if (!parts) return reject('expected <scheme>://<address>')
  const [, scheme = '', authority = '', path = '', query = ''] = parts
  const reasons: Reason[] = []
  const parameters = readQuery(query, reasons)
  return judgedBy(reasons, () => ({ scheme: scheme.toLowerCase(), authority, path, parameters }))
}

function readQuery(query: string, reasons: Reason[]): Parameter[] {
  if (query === '') return []
  const pairs = query.split('&')
  if (pairs.length > mostParameters) {
    reasons.push({ message: `more than ${mostParameters} parameters` })
    return []
  }
  const seen = new Set<string>()
  return pairs.flatMap((raw) => {
    const [rawName = '', ...rest] = raw.split('=')
    const name = decode(rawName)
    const value = decode(rest.join('='))
    if (name === undefined || name === '') {
      reasons.push({ message: 'a parameter has no readable name; parameters are <name>=<value> joined by "&"' })
    } else if (rest.length === 0) {
      reasons.push({ message: `parameter ${name} has no value` })
    } else if (value === undefined) {
      reasons.push({ message: `parameter ${name}: a percent sign must begin the escape of a visible character` })
    } else if (seen.has(name.toLowerCase())) {
      reasons.push({ message: `parameter ${name} is given twice` })
    } else {
      seen.add(name.toLowerCase())
      return [{ name, value, raw }]
    }
    return []
  })
}

/** The text that percent-escapes stand for; undefined when they are broken, not UTF-8, or hide a control character. */
export function decode(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return /\p{Cc}/u.test(plain) ? undefined : plain
  } catch {
    return undefined
  }
}

/** Reads parameters one by one, collecting what is wrong with each. */
export function readParameters(parameters: readonly Parameter[], reasons: Reason[]) {
  const left = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const may = (name: string, fits: RegExp, expected: string): string | undefined => {
    const value = left.get(name)?.value
    left.delete(name)
    if (value === undefined || fits.test(value)) return value
    // The value is not quoted: it may be a secret in the wrong place.
    reasons.push({ message: `${name}: expected ${expected}` })
    return undefined
  }
  return {
    has: (name: string): boolean => left.has(name),
    may,
    need(name: string, fits: RegExp, expected: string): string {
      if (!left.has(name)) reasons.push({ message: `${name} is missing: expected ${expected}` })
      return may(name, fits, expected) ?? ''
    },
    /** Takes every `header_<Name>`; they become request headers and leave the URL. */
    headers(): Readonly<Record<string, string>> {
      const found = [...left.values()].filter(({ name }) => name.toLowerCase().startsWith('header_'))
      for (const { name } of found) left.delete(name)
      if (found.length > mostHeaders) reasons.push({ message: `more than ${mostHeaders} header_ parameters` })
      for (const parameter of found) reasons.push(...judgeHeader(parameter))
      return Object.fromEntries(found.map(({ name, value }) => [name.slice('header_'.length), value]))
    },
    /** What nobody asked for, to be sent on as it was written. */
    rest: (): readonly Parameter[] => [...left.values()],
    refuseRest(): void {
      for (const name of left.keys()) reasons.push({ message: `parameter ${name} is not known here` })
    },
  }
}

const mostHeaders = 20

// What the connection, a proxy or this service itself writes; a tenant who could set these could smuggle a second
// request, pass for another client, or forge our signature.
const ownHeaders = new Set(
  [
    'host content-length transfer-encoding connection keep-alive upgrade te trailer expect via forwarded',
    'content-type content-encoding accept-encoding cookie set-cookie date http2-settings',
    'webhook-id webhook-timestamp webhook-signature',
  ].flatMap((names) => names.split(' ')),
)

function judgeHeader({ name: parameter, value }: Parameter): Reason[] {
  const name = parameter.slice('header_'.length)
  const wrong = (why: string): Reason[] => [{ message: `${parameter}: ${why}` }]
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name)) return wrong('not the name of an HTTP header')
  if (ownHeaders.has(name.toLowerCase()) || /^(proxy-|x-forwarded-|sec-)/i.test(name)) {
    return wrong('this header is set by the service or the connection')
  }
  if (!/^[\x20-\x7e]{1,2048}$/.test(value) || value.trim() !== value) {
    return wrong('expected 1 to 2048 visible ASCII characters, with no space at either end')
  }
  return []
}

/** `host` or `host:port` in its one plain spelling, as https would understand it. */
export function judgeHost(authority: string, part = 'host'): Judged<string> {
  const wrong = (why: string): Judged<never> => reject(`${part}: ${why}`)
  if (authority === '') return wrong('missing')
  if (authority.includes('@')) return wrong('user name and password in the address are not allowed')
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? []
  if (host === '') return wrong('missing')
  if (port !== undefined && !isReceiverPort(port)) {
    return wrong('the port is not one a log receiver listens on: 443, or 1024 to 65535 without other known services')
  }
  // The scheme is https already: any other would leave 0x7f.1 as it stands and let it become 127.0.0.1 later.
  const url = URL.parse(`https://${authority}/`)
  if (url?.pathname !== '/' || url.search !== '') return wrong('not a host name or address')
  if (url.hostname !== host.toLowerCase()) return wrong(`write it in its plain form, ${url.hostname}`)
  if (url.hostname.endsWith('.')) return wrong('write it without the dot at its end')
  if (!url.hostname.startsWith('[') && !isHostName(url.hostname)) return wrong('not a host name or address')
  return accept(url.host)
}

const isHostName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))

// Databases, caches, mail and shells above 1024: TLS would fail there anyway, but a probe should not even knock.
const otherServices = new Set([
  1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5672, 5900, 6000, 6379, 6443, 6667, 10250, 11211,
  15672, 26257, 27017, 50070,
])

function isReceiverPort(port: string): boolean {
  const number = /^[1-9]\d{0,4}$/.test(port) ? Number(port) : 0
  return number === 443 || (number >= 1024 && number <= 65_535 && !otherServices.has(number))
}

/** A request path as it stands, when no server could read it as another one. */
export function judgeUrlPath(path: string, reasons: Reason[]): string {
  const plain = decode(path)
  if (plain === undefined)
    reasons.push({ message: 'path: a percent sign must begin the escape of a visible character' })
  else if (/%(2f|5c|25)/i.test(path)) reasons.push({ message: 'path: an escaped slash, backslash or percent sign' })
  else if (plain.split('/').some((segment) => segment === '.' || segment === '..')) {
    reasons.push({ message: 'path: "." and ".." segments are not allowed' })
  } else if (/[{}]/.test(plain)) {
    reasons.push({ message: 'path: {DATE} and the like are only for object stores' })
  } else if (/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/.test(path)) {
    reasons.push({ message: 'path: percent-encode characters that a URL path does not hold' })
  }
  return path === '' ? '/' : path
}

/** The string with every secret parameter value and path segment replaced, for those who may not see them. */
export function maskConf(conf: string, secrets: readonly string[]): string {
  const hidden = new Set(secrets)
  const isSecret = (raw: string) => hidden.has(decode(raw) ?? raw)
  const [address = '', ...query] = conf.split('?')
  const path = address
    .split('/')
    .map((segment) => (isSecret(segment) ? '****' : segment))
    .join('/')
  if (query.length === 0) return path
  const pairs = query.join('?').split('&')
  const masked = pairs.map((pair) => {
    const at = pair.indexOf('=') + 1
    return isSecret(pair.slice(at)) ? `${pair.slice(0, at)}****` : pair
  })
  return `${path}?${masked.join('&')}`
}
