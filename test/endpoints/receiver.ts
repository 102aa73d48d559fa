/** HTTPS receivers that stand for kinds D to G and for any other: each checks what its provider would check. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Authority, type Certificate, makeAuthority } from './certificates.ts'
import { listen, readBody, reply } from './server.ts'

export type ReceiverKind = 'datadog' | 'newrelic' | 'splunk' | 'sumo' | 'https'

export type Received = {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** As sent. */
  readonly bytes: Buffer
  /** Decompressed. */
  readonly text: string
}

/** What a receiver does instead of answering well. */
export type Misbehaviour =
  | 'hang'
  | 'reset'
  | 'slow body'
  | 'endless body'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export type Receiver = {
  readonly url: string
  readonly port: number
  /** `127.0.0.1:port`, to stand in a destination string. */
  readonly host: string
  /** Requests that were taken as good. */
  requests(): readonly Received[]
  /** Reasons why requests were not. */
  complaints(): readonly string[]
  /** The next answers, in turn; after them the receiver behaves again. */
  misbehave(...how: readonly Misbehaviour[]): void
  /** Behaves from now on. */
  behave(): void
  stop(): Promise<void>
}

let authority: Authority | undefined

/** One authority for every receiver of this process; its certificate goes into the settings under test. */
export function testAuthority(): Authority {
  authority ??= makeAuthority()
  return authority
}

export async function startReceiver(
  kind: ReceiverKind,
  options: { certificate?: Certificate } = {},
): Promise<Receiver> {
  const requests: Received[] = []
  const complaints: string[] = []
  const script: Misbehaviour[] = []
  const certificate = options.certificate ?? testAuthority().issue(['127.0.0.1', 'localhost', 'log-api.newrelic.com'])
  const server = await listen(async (request, response, reset) => {
    const bad = script.shift()
    if (bad !== undefined) return misbehave(bad, request, response, reset)
    const received = read(request, await readBody(request))
    const complaint = typeof received === 'string' ? received : complain(kind, received)
    if (typeof received === 'string' || complaint !== undefined) {
      complaints.push(complaint ?? String(received))
      return reply(response, 400, JSON.stringify({ message: complaint }))
    }
    requests.push(received)
    const [status, body] = answers[kind]
    reply(response, status, body, { 'content-type': 'application/json' })
  }, certificate)
  return {
    ...server,
    host: `127.0.0.1:${server.port}`,
    requests: () => requests,
    complaints: () => complaints,
    misbehave: (...how) => void script.push(...how),
    behave: () => void script.splice(0),
  }
}

const answers: Readonly<Record<ReceiverKind, readonly [status: number, body: string]>> = {
  datadog: [202, '{}'],
  newrelic: [202, '{"requestId":"b3a7e1c2-0001-b000-0000-0192"}'],
  splunk: [200, '{"text":"Success","code":0}'],
  sumo: [200, ''],
  https: [204, ''],
}

/** The request, or what is wrong with its encoding. */
function read(request: IncomingMessage, bytes: Buffer): Received | string {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync, identity: (body: Buffer) => body }
  const encoding = headers['content-encoding'] ?? 'identity'
  const decode = decoders[encoding as keyof typeof decoders]
  if (!decode) return `unknown content-encoding ${encoding}`
  try {
    const text = decode(bytes).toString('utf8')
    return { method: request.method ?? '', target: request.url ?? '', headers, bytes, text }
  } catch {
    return `the body is not ${encoding}`
  }
}

function complain(kind: ReceiverKind, { method, target, headers, bytes }: Received): string | undefined {
  if (method !== 'POST') return `method ${method}`
  if (headers['content-length'] !== String(bytes.length)) return 'no content-length'
  const url = new URL(target, 'https://receiver')
  const leaked = [...url.searchParams.keys()].find((name) => /^header_|^insecure-skip-verify$/i.test(name))
  if (leaked) return `${leaked} was sent on`
  return providers[kind](url, headers)
}

type Check = (url: URL, headers: Readonly<Record<string, string>>) => string | undefined
const unless = (fine: unknown, complaint: string): string | undefined => (fine ? undefined : complaint)

const providers: Readonly<Record<ReceiverKind, Check>> = {
  datadog: ({ pathname }, headers) =>
    unless(['/api/v2/logs', '/v1/input'].includes(pathname), `path ${pathname}`) ??
    unless(headers['dd-api-key'], 'no DD-API-KEY') ??
    unless(/^(application\/json|text\/plain)$/.test(headers['content-type'] ?? ''), 'content-type'),
  newrelic: ({ pathname, searchParams }, headers) =>
    unless(pathname === '/log/v1', `path ${pathname}`) ??
    unless(searchParams.get('Api-Key'), 'no Api-Key') ??
    unless(searchParams.get('format') === 'cloudflare', 'format') ??
    unless(headers['content-type'] === 'application/json', 'content-type'),
  splunk: ({ pathname, searchParams }, headers) =>
    unless(pathname === '/services/collector/raw', `path ${pathname}`) ??
    unless(searchParams.get('channel'), 'no channel') ??
    unless(/^Splunk \S+$/.test(headers.authorization ?? ''), 'authorization'),
  sumo: ({ pathname, search }) =>
    unless(/^\/receiver\/v1\/http\/[^/]+$/.test(pathname) && search === '', `path ${pathname}`),
  https: (_url, headers) => unless(headers['webhook-id'], 'no webhook-id'),
}

function misbehave(how: Misbehaviour, request: IncomingMessage, response: ServerResponse, reset: () => void): void {
  if (how === 'hang') return
  if (how === 'reset') {
    reset()
    return
  }
  request.resume()
  if (typeof how === 'object') {
    reply(response, how.status, how.body ?? '', how.headers ?? {})
    return
  }
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.on('error', () => {})
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  if (how === 'endless body') response.on('drain', more)
  if (how === 'endless body') more()
  else response.write('a')
}
