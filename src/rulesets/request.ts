/**
 * A request as rules see it, and how each field of the language is read from it. Text is byte strings throughout (one
 * character per byte), as Node gives header values and as the language compares them.
 */
import { type Judged, judgedBy, type Nanos, type Reason } from '../base/index.ts'
import type { HeaderChange, Passage } from './passage.ts'

/** The bytes of a text, one character each. */
export const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

export type Headers = readonly (readonly [name: string, value: string])[]

export type EdgeRequest = {
  readonly method: string
  readonly scheme: 'http' | 'https'
  /** The Host header, with a port when there is one. */
  readonly host: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly protocol: string
  readonly headers: Headers
  readonly body: string
  /** How long the body is, when only its beginning was handed in. */
  readonly bodySize?: number
  readonly ip: string
  readonly at: Nanos
  /** Names the request in events. */
  readonly id: string
  /** Values of other fields by their name: what the edge knows of place, TLS, bots. */
  readonly facts: Readonly<Record<string, unknown>>
}

export type EdgeResponse = { readonly status: number; readonly headers: Headers }

/** A request as people write one down, for a trace. */
export type RequestDraft = {
  readonly method: string
  readonly url: string
  readonly protocol?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly cookies?: Readonly<Record<string, string>>
  readonly body?: string
  readonly ip?: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export function readRequest(draft: RequestDraft, { at, id }: { at: Nanos; id: string }): Judged<EdgeRequest> {
  const reasons: Reason[] = []
  const address = /^(https?):\/\/([^/?#\s]+)([^?#]*)(?:\?([^#]*))?/i.exec(draft.url)
  if (!address) reasons.push({ message: `'${draft.url.slice(0, 200)}' is not an http(s) address`, pointer: '/url' })
  if (!/^[A-Za-z]{1,32}$/.test(draft.method)) reasons.push({ message: 'method is not a word', pointer: '/method' })
  const [, scheme = 'https', host = '', path = '', query = ''] = address ?? []
  return judgedBy(reasons, () => {
    const headers = headerPairs(draft)
    const named = headers.find(([name]) => name.toLowerCase() === 'host')?.[1]
    return {
      method: draft.method.toUpperCase(),
      scheme: scheme.toLowerCase() as 'http' | 'https',
      host: named ?? toBytes(host),
      path: toBytes(path || '/'),
      query: toBytes(query),
      protocol: draft.protocol ?? 'HTTP/1.1',
      headers: named === undefined ? [['Host', toBytes(host)], ...headers] : headers,
      body: draft.body === undefined ? '' : toBytes(draft.body),
      ip: draft.ip ?? '127.0.0.1',
      at,
      id,
      facts: draft.facts ?? {},
    }
  })
}

function headerPairs({ headers = {}, cookies = {} }: RequestDraft): [string, string][] {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [toBytes(name), toBytes(value)]),
  )
  const jar = Object.entries(cookies).map(([name, value]) => `${toBytes(name)}=${toBytes(value)}`)
  return jar.length === 0 ? pairs : [...pairs, ['Cookie', jar.join('; ')]]
}

/** The request as the next phase sees it; the same object while nothing changed it. */
export function afterPhase(request: EdgeRequest, passage: Passage): EdgeRequest {
  const { path = request.path, query = request.query } = passage
  const headers =
    passage.requestHeaders.length === 0 ? request.headers : changed(request.headers, passage.requestHeaders)
  if (path === request.path && query === request.query && headers === request.headers) return request
  return { ...request, path, query, headers }
}

export const afterResponsePhase = (response: EdgeResponse, passage: Passage): EdgeResponse =>
  passage.responseHeaders.length === 0
    ? response
    : { ...response, headers: changed(response.headers, passage.responseHeaders) }

function changed(headers: Headers, changes: readonly HeaderChange[]): Headers {
  let next = [...headers]
  for (const { name, operation, value = '' } of changes) {
    const lower = name.toLowerCase()
    if (operation !== 'add') next = next.filter(([other]) => other.toLowerCase() !== lower)
    if (operation !== 'remove') next.push([name, toBytes(value)])
  }
  return next
}
