/**
 * The real network, guarded. Destinations are what strangers wrote, so a name is resolved once, every address it has is
 * judged, and only those addresses are dialled; nothing is redirected, endless or unverified.
 */
import { lookup } from 'node:dns/promises'
import { createReadStream } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import {
  type Answer,
  type AwsCredentials,
  type Body,
  makeNetworkPolicy,
  type NetworkPolicy,
  type OutgoingRequest,
  type Outside,
  OutsideError,
  type StoreKind,
  type Trouble,
} from './destinations/index.ts'
import { sizeBelow, writeBelow } from './file-root.ts'

type ResolvedAddress = { readonly address: string; readonly family: 4 | 6 }
export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>

export type OutsideSettings = {
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
  readonly awsCredentials?: () => Promise<AwsCredentials>
  readonly googleToken?: () => Promise<string>
}

type Timeouts = {
  /** For our own identity, for the name, and for the connection with its TLS: each. */
  readonly connectMs: number
  /** Without a byte going either way. */
  readonly idleMs: number
  readonly wholeMs: number
}

export type OpenOutside = Outside & {
  /** The same outside for something that cannot wait as long, or that may be called off. */
  within(wholeMs: number, signal?: AbortSignal): Outside
  close(): Promise<void>
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, idleMs: 10_000, wholeMs: 120_000 }
const longestAnswer = 64 * 1024

/** Throws when the settings make no sense, so that the service does not start on them. */
export function openOutside(settings: OutsideSettings): OpenOutside {
  const policy = makeNetworkPolicy(settings.allowedNetworks ?? [])
  if (!policy.ok) throw new Error(policy.reasons.map(({ message }) => `allowed networks: ${message}`).join('; '))
  const timeouts = { ...defaultTimeouts, ...settings.timeouts }
  const agents = openAgents(policy.value, settings, timeouts)
  const identities = openIdentities(settings, timeouts)
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

async function inTime<T>(work: Promise<T>, withinMs: number, late: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutsideError('timeout', late)), withinMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** One request, one answer, or an OutsideError that says in a few words what went wrong. */
async function send(
  agent: Dispatcher,
  request: OutgoingRequest,
  { idleMs, wholeMs }: Timeouts,
  called?: AbortSignal,
): Promise<Answer> {
  const { method, url, body } = request
  const stop = new AbortController()
  const giveUp = (after: number) => () =>
    stop.abort(new OutsideError('timeout', `no answer from ${url.host} in ${after / 1000} s`))
  const whole = setTimeout(giveUp(wholeMs), wholeMs)
  let idle: NodeJS.Timeout | undefined
  const progress = () => {
    clearTimeout(idle)
    idle = setTimeout(giveUp(idleMs), idleMs)
  }
  const callOff = () => stop.abort(new OutsideError('timeout', `the request to ${url.host} was called off`))
  called?.addEventListener('abort', callOff, { once: true })
  try {
    if (called?.aborted) callOff()
    stop.signal.throwIfAborted()
    const answer: Dispatcher.ResponseData = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: { 'user-agent': 'spillway', 'content-length': String(lengthOf(body)), ...request.headers },
      // The idle clock starts when the body is asked for: waiting for a free connection is not the receiver's fault.
      body: body === null ? null : Readable.from(chunks(body, progress)),
      signal: stop.signal,
    })
    progress()
    return {
      status: answer.statusCode,
      headers: plainHeaders(answer.headers),
      body: await readText(answer.body, progress),
    }
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : explain(error, url.host)
  } finally {
    clearTimeout(whole)
    clearTimeout(idle)
    called?.removeEventListener('abort', callOff)
  }
}

const lengthOf = (body: Body | null): number => {
  if (body === null) return 0
  return body instanceof Uint8Array ? body.byteLength : body.size
}

const chunkBytes = 64 * 1024

/** The body in pieces, so that each piece the receiver takes counts as progress. */
async function* chunks(body: Body, progress: () => void): AsyncGenerator<Uint8Array> {
  progress()
  if (body instanceof Uint8Array) {
    for (let at = 0; at < body.byteLength; at += chunkBytes) {
      yield body.subarray(at, at + chunkBytes)
      progress()
    }
    return
  }
  for await (const chunk of createReadStream(body.file, { highWaterMark: chunkBytes })) {
    yield chunk
    progress()
  }
}

/** As much of the answer as anyone reads; it is not decompressed, so no bomb can unfold. */
async function readText(body: Dispatcher.ResponseData['body'], progress: () => void): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    progress()
    parts.push(part)
    length += part.length
    if (length >= longestAnswer) break
  }
  return Buffer.concat(parts).subarray(0, longestAnswer).toString('utf8')
}

const plainHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

/** What Node and undici call it, and what we say. */
const troubles: readonly (readonly [RegExp, Trouble, string])[] = [
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'timeout', 'no answer in time'],
  [/^ENOTFOUND$|^EAI_/, 'dns', 'the name cannot be resolved'],
  [/^ECONNREFUSED$/, 'connect', 'connection refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'connect', 'no route to the host'],
  [
    /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^HOSTNAME_MISMATCH$/,
    'tls',
    'TLS failed',
  ],
  [
    /^(ECONNRESET|EPIPE)$|^HPE_|^UND_ERR_(SOCKET|DESTROYED|CLOSED|ABORTED|HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/,
    'reset',
    'the connection broke',
  ],
]

function explain(error: unknown, host: string): unknown {
  if (error instanceof OutsideError) return error
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  const found = troubles.find(([codes]) => codes.test(code))
  if (!found) return error
  const [, trouble, says] = found
  const detail = trouble === 'tls' ? ` (${code})` : ''
  return new OutsideError(trouble, `${host}: ${says}${detail}`, error)
}

/**
 * The operator's own identity. The vendors' libraries read files and environment and ask metadata services over
 * connections of their own: that is the operator's word, no tenant's, so it does not pass the guard. Both keep what
 * they got until shortly before it expires. They are loaded when first needed, since they are large.
 */
function openIdentities(
  settings: OutsideSettings,
  { connectMs }: Timeouts,
): Pick<Outside, 'awsCredentials' | 'googleToken'> {
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | undefined
    return () => {
      made ??= make()
      return made
    }
  }
  const aws = once(async () => (await import('@aws-sdk/credential-providers')).fromNodeProviderChain())
  const google = once(async () => {
    const { GoogleAuth } = await import('google-auth-library')
    return new GoogleAuth({ scopes: ['https://www.googleapis.com/auth/devstorage.read_write'] })
  })
  const identify = async <T>(store: string, get: () => Promise<T>): Promise<T> => {
    try {
      return await inTime(get(), connectMs, `no identity for ${store} in time`)
    } catch (error) {
      throw new OutsideError('identity', `the service has no identity of its own for ${store}`, error)
    }
  }
  return {
    awsCredentials: () => identify('S3', settings.awsCredentials ?? (async () => (await aws())())),
    googleToken: () =>
      identify(
        'Google Cloud Storage',
        settings.googleToken ?? (async () => String(await (await google()).getAccessToken())),
      ),
  }
}
