/**
 * What an edge is told, in the words it understands. Caddy, Traefik and Envoy pass any answer but a 2xx on to the visitor
 * as it is. nginx's `auth_request` knows only yes (2xx) and no (403): it is told no, and asks again with `as=answer` for
 * the answer itself, which it then passes on.
 */
import type { Verdict } from '../../edge/index.ts'
import type { EdgeRequest } from '../../rulesets/index.ts'

export type Convention = 'plain' | 'auth_request' | 'answer'

export type EdgeReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly type: string
  readonly body: string
}

const text = 'text/plain; charset=utf-8'

export function replyTo(request: EdgeRequest, verdict: Verdict, convention: Convention): EdgeReply {
  const ray = { 'x-spillway-ray': request.id }
  if (verdict.kind === 'pass') {
    // The first time the answer was no. That a limit has ended since, or is counted by another node, does not undo it.
    if (convention === 'answer') return { status: 403, headers: ray, type: text, body: 'Blocked.\n' }
    return { status: 200, headers: { ...ray, ...changesOf(request, verdict) }, type: text, body: '' }
  }
  const { kind, status, retryAfter, body } = verdict.answer
  const { 'content-type': type = text, location, ...others } = verdict.answer.headers
  const known = { ...ray, 'x-spillway-action': kind }
  if (convention === 'auth_request') {
    const told = {
      'x-spillway-status': String(status),
      ...(location === undefined ? {} : { 'x-spillway-location': location }),
      ...(retryAfter === undefined ? {} : { 'x-spillway-retry-after': String(retryAfter) }),
    }
    return { status: 403, headers: { ...known, ...told }, type: text, body: '' }
  }
  const headers = {
    ...known,
    ...(status >= 400 ? { 'cache-control': 'no-store' } : {}),
    ...sendable(others),
    ...(location === undefined ? {} : { location }),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  }
  // The page is sent as UTF-8, whatever its author left unsaid.
  return { status, headers, type: type.includes('charset=') ? type : `${type}; charset=utf-8`, body }
}

/** Headers of our answer that belong to our connection with the edge; a rule's header of that name cannot be carried. */
const ours = new Set(['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'te'])
const oursToo = new Set(['trailer', 'transfer-encoding', 'upgrade', 'x-request-id'])

/** The request as it should go on: headers under their own names, the rest under `x-spillway-`. */
function changesOf(request: EdgeRequest, { decision }: Extract<Verdict, { kind: 'pass' }>): Record<string, string> {
  const { headers } = decision?.request ?? request
  // As it was told unless a rule wrote another: rules see paths in one spelling, the origin in the visitor's own.
  const { path = request.path, query = request.query } = decision?.passage ?? {}
  const names = [...new Set((decision?.passage.requestHeaders ?? []).map(({ name }) => name.toLowerCase()))]
  const joined = (name: string) =>
    headers
      .filter(([other]) => other.toLowerCase() === name)
      .map(([, value]) => value)
      .join(', ')
  const set = names.filter((name) => headers.some(([other]) => other.toLowerCase() === name))
  const removed = names.filter((name) => !set.includes(name))
  const { host_header: hostHeader, origin } = (decision?.passage.origin ?? {}) as {
    host_header?: string
    origin?: { host?: string; port?: number }
  }
  return sendable({
    ...Object.fromEntries(
      set.filter((name) => !ours.has(name) && !oursToo.has(name)).map((name) => [name, joined(name)]),
    ),
    'x-spillway-action': 'pass',
    'x-spillway-uri': query === '' ? path : `${path}?${query}`,
    // Envoy takes headers away by this name; others read ours.
    ...(removed.length === 0
      ? {}
      : { 'x-spillway-remove-headers': removed.join(', '), 'x-envoy-auth-headers-to-remove': removed.join(',') }),
    ...(hostHeader === undefined ? {} : { 'x-spillway-host': hostHeader }),
    ...(origin?.host === undefined ? {} : { 'x-spillway-origin-host': origin.host }),
    ...(origin?.port === undefined ? {} : { 'x-spillway-origin-port': String(origin.port) }),
  })
}

/** A value that would end its line, or that is no byte string, is not sent at all. */
const sendable = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)))
