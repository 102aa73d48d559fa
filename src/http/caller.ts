/** From the headers of a request to the caller. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type AccessNeeds, type Caller, type Interface, identify } from '../access/index.ts'
import { problems } from '../base/index.ts'

/** Sent once or not at all: two of one of these could be read differently by whatever stands before us. */
const single = [
  'authorization',
  'x-auth-email',
  'x-auth-key',
  'content-type',
  'content-length',
  'content-encoding',
  'host',
  'if-match',
  'idempotency-key',
]

/** Headers and address of a mirrored request are the visitor's; only what tells us apart must be clear. */
const singleInMirrors = ['authorization', 'x-auth-email', 'x-auth-key', 'content-length', 'host']

const hostShape = /^[\w.~%:[\]-]*$/

/** What could be read differently by whatever stands before us, or breaks what stands behind. */
export function refuseUnclear(request: FastifyRequest, { mirrors = false }: { readonly mirrors?: boolean } = {}): void {
  const seen = new Set<string>()
  const names = mirrors ? singleInMirrors : single
  for (let at = 0; at < request.raw.rawHeaders.length; at += 2) {
    const name = (request.raw.rawHeaders[at] ?? '').toLowerCase()
    if (!names.includes(name)) continue
    if (seen.has(name)) throw problems.malformedRequest(`the header ${name} was sent twice`)
    seen.add(name)
  }
  if (!seen.has('host') && request.raw.httpVersion === '1.1') throw problems.malformedRequest('it has no Host header')
  if (mirrors) return
  // Live tail tells its reader an address on this host.
  if (!hostShape.test(request.headers.host ?? '')) throw problems.malformedRequest('its Host header names no host')
  // PostgreSQL keeps no NUL in a text.
  if (request.originalUrl.includes('%00')) throw problems.malformedRequest('its address holds the character NUL')
}

export async function callerOf(needs: AccessNeeds, request: FastifyRequest): Promise<Caller> {
  return callerBy(needs, request.headers, addressOf(request))
}

export async function callerBy(needs: AccessNeeds, headers: IncomingHttpHeaders, ip: string): Promise<Caller> {
  const one = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return identify(
    needs,
    { email: one('x-auth-email'), key: one('x-auth-key'), authorization: one('authorization') },
    { ip, interface: interfaceOf(one('x-spillway-interface')) },
  )
}

/** The peer's address; one spelling for IPv4, however it came in. */
export const addressOf = (request: FastifyRequest): string => request.ip.replace(/^::ffff:(?=\d+\.)/, '')

function interfaceOf(header: string | undefined): Interface {
  return header === 'UI' || header === 'CLI' ? header : 'API'
}
