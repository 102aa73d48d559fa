/**
 * The real network, guarded. Destinations are what strangers wrote, so a name is resolved once, every address it has is
 * judged, and only those addresses are dialled; nothing is redirected, endless or unverified.
 */
import { lookup } from 'node:dns/promises'
import { createReadStream } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import {
  makeNetworkPolicy,
  type NetworkPolicy,
  type OutgoingRequest,
  type Outside,
  OutsideError,
  type StoreKind,
} from './destinations/index.ts'
import { sizeBelow, writeBelow } from './file-root.ts'
import { type IdentitySettings, openIdentities } from './outside-identity.ts'
import { inTime, send, type Timeouts } from './outside-request.ts'

type ResolvedAddress = { readonly address: string; readonly family: 4 | 6 }
export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>

export type OutsideSettings = IdentitySettings & {
  /** Networks that destinations may reach although they are not public. */
  readonly allowedNetworks?: readonly string[]
  /** Stores the operator put in place of the vendors' own; plain http and private addresses are the operator's choice. */
  readonly endpoints?: { readonly [kind in StoreKind]?: URL | undefined }
  /** Where the kind `file` writes; without it that kind is off. */
  readonly fileRoot?: string | undefined
  /** Certificates (PEM) trusted beside the well-known ones. */
  readonly certificates?: readonly string[]
  /** Connections to one host at a time; further requests wait their turn. */
  readonly connectionsPerHost?: number
  readonly timeouts?: Partial<Timeouts>
  readonly resolve?: Resolver
  readonly now?: () => Date
}

export type OpenOutside = Outside & {
  /** The same outside for something that cannot wait as long, or that may be called off. */
  within(wholeMs: number, signal?: AbortSignal): Outside
  close(): Promise<void>
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, idleMs: 10_000, wholeMs: 120_000 }

/** Throws when the settings make no sense, so that the service does not start on them. */
export function openOutside(settings: OutsideSettings): OpenOutside {
  const policy = makeNetworkPolicy(settings.allowedNetworks ?? [])
  if (!policy.ok) throw new Error(policy.reasons.map(({ message }) => `allowed networks: ${message}`).join('; '))
  const timeouts = { ...defaultTimeouts, ...settings.timeouts }
  const agents = openAgents(policy.value, settings, timeouts)
  const identities = openIdentities(settings, timeouts.connectMs)
  const root = settings.fileRoot

  const outside = (wholeMs: number, called?: AbortSignal): Outside => ({
    send: async (request) => send(pickAgent(agents, settings, request), request, { ...timeouts, wholeMs }, called),
    now: settings.now ?? (() => new Date()),
    read: (file) => createReadStream(file),
    ...identities,
    endpoint: (kind) => settings.endpoints?.[kind],
    async writeFile(path, body) {
      if (root === undefined) throw new OutsideError('off', 'the kind file is switched off on this service')
      await writeBelow(root, path, body)
    },
    async fileSize(path) {
      if (root === undefined) throw new OutsideError('off', 'the kind file is switched off on this service')
      return sizeBelow(root, path)
    },
  })
  return {
    ...outside(timeouts.wholeMs),
    within: outside,
    close: async () => {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()))
    },
  }
}

type Agents = Readonly<Record<'guarded' | 'unverified' | 'operators', Agent>>

function openAgents(policy: NetworkPolicy, settings: OutsideSettings, { connectMs, idleMs }: Timeouts): Agents {
  const agent = (connect: buildConnector.connector) =>
    new Agent({
      connect,
      connections: settings.connectionsPerHost ?? 8,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      // The idle timer of `send` covers both; these are the second net.
      headersTimeout: idleMs + 1_000,
      bodyTimeout: idleMs + 1_000,
      maxHeaderSize: 16 * 1024,
    })
  const resolve = settings.resolve ?? ((hostname) => lookup(hostname, { all: true }) as Promise<ResolvedAddress[]>)
  // Made once: reading some 150 certificates for every connection costs milliseconds each time.
  const ca = [...getCACertificates('default'), ...(settings.certificates ?? [])]
  const tls = { secureContext: createSecureContext({ ca, minVersion: 'TLSv1.2' }), timeout: connectMs }
  return {
    guarded: agent(guard(policy, resolve, tls)),
    unverified: agent(guard(policy, resolve, { ...tls, rejectUnauthorized: false })),
    operators: agent(buildConnector(tls)),
  }
}

function pickAgent(agents: Agents, { endpoints = {} }: OutsideSettings, request: OutgoingRequest): Agent {
  if (request.toOperatorEndpoint) {
    const isOurs = Object.values(endpoints).some((endpoint) => endpoint?.origin === request.url.origin)
    if (!isOurs) throw new OutsideError('blocked', 'not an endpoint of the operator')
    return agents.operators
  }
  if (request.url.protocol !== 'https:') throw new OutsideError('blocked', 'destinations are reached by https only')
  return request.skipVerify ? agents.unverified : agents.guarded
}

/** A connector that dials nothing but addresses it has judged. */
function guard(
  policy: NetworkPolicy,
  resolve: Resolver,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  return (target, callback) => {
    const hostname = target.hostname.replace(/^\[|\]$/g, '')
    judgeAddresses(policy, resolve, hostname, options.timeout ?? defaultTimeouts.connectMs).then(
      (addresses) => {
        // Node asks `lookup` for names only and dials a literal as it stands; both were judged. No second resolution
        // happens, so a name that changes its mind in between (DNS rebinding) changes nothing.
        const pinned: LookupFunction = (_name, { all }, done) =>
          all ? done(null, [...addresses]) : done(null, addresses[0]?.address ?? '', addresses[0]?.family)
        // A connector per connection, because the addresses belong to it; it has no sessions to keep.
        buildConnector({ ...options, lookup: pinned, maxCachedSessions: 0 })(target, callback)
      },
      (error: Error) => callback(error, null),
    )
  }
}

async function judgeAddresses(
  policy: NetworkPolicy,
  resolve: Resolver,
  hostname: string,
  withinMs: number,
): Promise<readonly ResolvedAddress[]> {
  const family = isIP(hostname)
  const found =
    family === 4 || family === 6 ? [{ address: hostname, family } as const] : await ask(resolve, hostname, withinMs)
  if (found.length === 0) throw new OutsideError('dns', `${hostname} has no address`)
  // One bad address spoils the name: whoever controls it could otherwise let the good one fail.
  for (const { address } of found) {
    const why = policy.refuses(address)
    if (why !== undefined) throw new OutsideError('blocked', `${hostname} is not allowed as a destination: ${why}`)
  }
  return found
}

async function ask(resolve: Resolver, hostname: string, withinMs: number): Promise<readonly ResolvedAddress[]> {
  try {
    return await inTime(resolve(hostname), withinMs, `no answer for the name ${hostname}`)
  } catch (error) {
    if (error instanceof OutsideError) throw error
    throw new OutsideError('dns', `the name ${hostname} cannot be resolved`, error)
  }
}
