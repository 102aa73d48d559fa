/**
 * The visitor's request as an edge tells it. A trusted edge tells it by `X-Forwarded-*` (Caddy, Traefik, our nginx
 * example), by `X-Original-*` (other nginx set-ups), or by sending the visitor's own request line and headers (Envoy).
 * From anyone else, such headers are only headers: the request is judged as it stands, from the address it came from.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Nanos } from '../../base/index.ts'
import { fields, type Type } from '../../expression/index.ts'
import type { EdgeRequest } from '../../rulesets/index.ts'

export type Trust = { isTrusted(address: string): boolean; readonly factsHeader: string | undefined }

export function makeTrust(blocks: readonly string[], factsHeader: string | undefined): Trust {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits = ''] = block.split('/')
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    factsHeader,
    isTrusted: (address) => {
      const family = isIP(address)
      return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

/** Why the facts of a question were not believed, or only in part. */
export type Doubt = 'untrusted peer' | 'contradiction' | 'no address'

export type Visit = { readonly request: EdgeRequest; readonly doubt?: Doubt }

export type Asking = {
  readonly raw: IncomingMessage
  readonly peer: string
  /** What stands behind `/edge/decide` in the address, with its query; undefined when nothing does. */
  readonly below: string | undefined
  readonly body: string
  readonly bodySize: number
  readonly at: Nanos
  readonly newRay: () => string
  /** Whether the edge asks again about a request, which then has its ray. */
  readonly isSecond: boolean
}

export function readVisit(asking: Asking, trust: Trust): Visit {
  return trust.isTrusted(asking.peer) ? told(asking, trust) : asItStands(asking)
}

/** Never the visitor's: who the edge is to us, and what its connection to us needs. */
const ofTheEdge = new Set(['authorization', 'x-auth-email', 'x-auth-key', 'connection', 'keep-alive', 'host'])

const telling = new Set([
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-method',
  'x-forwarded-proto',
  'x-forwarded-uri',
  'x-original-authorization',
  'x-original-host',
  'x-original-method',
  'x-original-proto',
  'x-original-uri',
  'x-original-url',
  'x-real-ip',
  'x-request-id',
  'x-spillway-ray',
])

function asItStands({ raw, peer, below = '/', ...rest }: Asking): Visit {
  const host = raw.headers.host ?? ''
  const headers: [string, string][] = [['Host', host]]
  let isForwarded = false
  for (const [name, lower, value] of headersOf(raw)) {
    if (ofTheEdge.has(lower)) continue
    headers.push([name, value])
    isForwarded ||= /^x-(forwarded|original)-/.test(lower)
  }
  return {
    request: {
      ...base(raw, rest),
      ...splitUri(below),
      method: raw.method ?? 'GET',
      scheme: 'http',
      host,
      headers,
      ip: peer,
      id: rest.newRay(),
      facts: {},
    },
    ...(isForwarded ? { doubt: 'untrusted peer' } : {}),
  }
}

function* headersOf({ rawHeaders }: IncomingMessage): Generator<[name: string, lower: string, value: string]> {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    yield [name, name.toLowerCase(), rawHeaders[at + 1] ?? '']
  }
}

function told(asking: Asking, trust: Trust): Visit {
  const { raw, below, peer } = asking
  const visitors: [string, string][] = []
  const values = new Map<string, string>()
  let isDoubled = false
  for (const [name, lower, value] of headersOf(raw)) {
    if (telling.has(lower) || lower === trust.factsHeader) {
      const before = values.get(lower)
      if (before !== undefined && lower !== 'x-forwarded-for') isDoubled = true
      values.set(lower, before === undefined ? value : `${before}, ${value}`)
    } else if (!ofTheEdge.has(lower)) visitors.push([name, value])
  }
  const get = (name: string): string | undefined => values.get(name) || undefined
  const whole = /^(https?|wss?):\/\/([^/?#]+)([^#]*)/i.exec(get('x-original-url') ?? '')

  // Told twice, a thing must be told alike: one of the two may be the visitor's own header, let through by the edge.
  const uri = agreed([below, get('x-forwarded-uri'), get('x-original-uri'), whole ? whole[3] || '/' : undefined])
  const host = agreed([get('x-forwarded-host'), get('x-original-host'), whole?.[2]])
  const proto = agreed(
    [get('x-forwarded-proto'), get('x-original-proto'), whole?.[1]].map((text) => text?.toLowerCase()),
  )
  const method = agreed([
    below === undefined ? undefined : raw.method,
    get('x-forwarded-method'),
    get('x-original-method'),
  ])
  const { ip, before } = visitorOf(get('x-forwarded-for') ?? get('x-real-ip') ?? '', peer, trust)
  const real = plainAddress(get('x-real-ip') ?? '')
  const isTornApart =
    isDoubled ||
    [uri, host, proto, method].some(({ isClear }) => !isClear) ||
    // An edge behind another proxy of ours calls that proxy the real address.
    (real !== undefined && real !== ip && !trust.isTrusted(real))
  const hostName = host.value ?? raw.headers.host ?? ''
  const authorization = get('x-original-authorization')
  return {
    request: {
      ...base(raw, asking),
      ...splitUri(uri.value ?? '/'),
      method: method.value ?? raw.method ?? 'GET',
      scheme: proto.value === 'https' || proto.value === 'wss' ? 'https' : 'http',
      host: hostName,
      headers: [
        ['Host', hostName],
        ...visitors,
        ...(before === '' ? [] : [['X-Forwarded-For', before] as const]),
        ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
      ],
      ip,
      id: rayOf((asking.isSecond ? get('x-spillway-ray') : undefined) ?? get('x-request-id')) ?? asking.newRay(),
      facts: trust.factsHeader === undefined ? {} : readFacts(get(trust.factsHeader) ?? ''),
    },
    ...doubtOf(isTornApart, uri.value),
  }
}

const doubtOf = (isTornApart: boolean, uri: string | undefined): { doubt?: Doubt } => {
  if (isTornApart) return { doubt: 'contradiction' }
  return uri === undefined ? { doubt: 'no address' } : {}
}

const base = (raw: IncomingMessage, { body, bodySize, at }: Pick<Asking, 'body' | 'bodySize' | 'at'>) => ({
  protocol: `HTTP/${raw.httpVersion}`,
  body,
  bodySize,
  at,
})

function agreed(said: readonly (string | undefined)[]): { value: string | undefined; isClear: boolean } {
  const value = said.find((text) => text !== undefined)
  return { value, isClear: said.every((text) => text === undefined || text === value) }
}

/** Path and query as the visitor wrote them; a whole address is cut to its path. */
function splitUri(uri: string): { path: string; query: string } {
  const local = uri.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/#.*$/s, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  return { path: path.startsWith('/') ? path : `/${path}`, query: mark === -1 ? '' : local.slice(mark + 1) }
}

/**
 * Each trusted proxy wrote the address it was asked from at the end of the list, so the last one that is no proxy of ours
 * is the visitor. What stands before it is the visitor's own claim, and stays a header.
 */
function visitorOf(list: string, peer: string, { isTrusted }: Trust): { ip: string; before: string } {
  const hops = list
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  let ip = peer
  while (hops.length > 0 && isTrusted(ip)) {
    const next = plainAddress(hops.at(-1) ?? '')
    if (next === undefined) break
    ip = next
    hops.pop()
  }
  return { ip, before: hops.join(', ') }
}

/** `192.0.2.1:4711` and `[2001:db8::1]:4711` as they are written with ports. */
function plainAddress(hop: string): string | undefined {
  const address = /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(plain) === 0 ? undefined : plain
}

/** The first sixteen hex digits, as ingest reads request ids from access logs: events and requests share their ray. */
function rayOf(id: string | undefined): string | undefined {
  const digits = id?.replaceAll('-', '').toLowerCase() ?? ''
  return /^[0-9a-f]{16}/.test(digits) ? digits.slice(0, 16) : undefined
}

const typesByName = new Map(fields.map(({ name, type }) => [name, type]))

/** `name=value; name=value`, each read as its field wants it; what names no field is nothing. */
function readFacts(text: string): Record<string, unknown> {
  const facts: Record<string, unknown> = {}
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    const type = typesByName.get(name)
    if (type !== undefined) facts[name] = factOf(type, part.slice(at + 1).trim())
  }
  return facts
}

function factOf(type: Type, text: string): unknown {
  if (type === 'Bool') return text === 'true' || text === '1'
  if (type === 'Int') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  return Buffer.from(text, 'latin1').toString('utf8')
}
