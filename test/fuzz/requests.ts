/** Requests drawn from the OpenAPI document: what it asks for, the same spoilt somewhere, and what it never spoke of. */
import { METHODS } from 'node:http'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { kinds } from '../../src/destinations/index.ts'
import { actions, phases } from '../../src/rulesets/index.ts'
import { type Chance, hostileValue, print, type Schema, spoil, spoilText, type Vocabulary, valueFor } from './values.ts'

export type Header = readonly [name: string, value: string]

export type FuzzRequest = {
  /** `GET /zones/{zone_id}`; what the document calls the operation. */
  readonly operation: string
  readonly method: string
  readonly target: string
  readonly headers: readonly Header[]
  readonly body: Buffer | undefined
  /** Whether method and path are still those of the operation. */
  readonly isOnItsPath: boolean
}

type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

export type Endpoint = {
  readonly operation: string
  readonly method: string
  readonly template: string
  readonly tag: string
  readonly parameters: readonly Parameter[]
  readonly bodyType: string | undefined
  readonly bodySchema: Schema | undefined
  /** Of the envelope that success answers with, where it does. */
  readonly answerSchema: Schema | undefined
}

type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
type Described = {
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
export type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> }

export function endpointsOf({ paths }: Document): Endpoint[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { tags, parameters, requestBody, responses }]) => {
      const [[bodyType, body] = []] = Object.entries(requestBody?.content ?? {})
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
      return {
        operation: `${method.toUpperCase()} ${template}`,
        method: method.toUpperCase(),
        template,
        tag: tags[0] ?? '',
        parameters,
        bodyType,
        bodySchema: body?.schema,
        answerSchema: success?.content?.['application/json']?.schema,
      }
    }),
  )
}

/** What the requests may speak of: things that exist, by what they are, and credentials. */
export type Known = {
  readonly ids: ReadonlyMap<string, readonly string[]>
  /** A number that was never used. */
  readonly fresh: number
  readonly accounts: readonly string[]
  readonly zones: readonly string[]
  readonly credentials: readonly (readonly Header[])[]
}

/** One in so many requests is as the document says; the others are spoilt in one way or in several. */
export function drawRequest(endpoint: Endpoint, known: Known, chance: Chance): FuzzRequest {
  const words = vocabularyFor(endpoint, known)
  const isGood = chance.isOneIn(3)
  const bad = (many: number) => !isGood && chance.isOneIn(many)
  let isWhole = true
  const path = endpoint.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { schema = {} } = endpoint.parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    const value = String(valueFor(schema, name, words, chance))
    const written = encodeURIComponent((bad(8) ? spoilText(value, chance) : value).toWellFormed())
    // Without it the address is another one.
    if (written === '') isWhole = false
    return written
  })
  const isOnItsPath = isWhole && !bad(12)
  const base = chance.one(['/v4', '/v4', '/client/v4'])
  const whole = isOnItsPath ? base + path : spoilPath(base + path, chance)
  const query = queryFor(endpoint, words, chance, bad)
  const body = bodyFor(endpoint, words, chance, bad)
  const method = bad(12) ? chance.one(METHODS.filter((one) => one !== 'CONNECT')) : endpoint.method
  return {
    operation: endpoint.operation,
    method,
    target: sendable(whole + query),
    headers: headersFor(endpoint, known, body, chance, bad),
    body,
    isOnItsPath: isOnItsPath && method === endpoint.method,
  }
}

type Bad = (many: number) => boolean

function queryFor(endpoint: Endpoint, words: Vocabulary, chance: Chance, bad: Bad): string {
  const pairs = endpoint.parameters
    .filter((one) => one.in === 'query' && (one.required || chance.isOneIn(3)))
    .map(({ name, schema }): [string, string] => {
      const value = String(valueFor(schema, name, words, chance))
      return [name, bad(4) ? spoilText(value, chance) : value]
    })
  if (bad(6)) pairs.push([chance.one(oddNames), String(chance.one(['', '1', 'true', '\u0000', 'x'.repeat(3_000)]))])
  if (bad(10) && pairs[0]) pairs.push(pairs[0])
  if (pairs.length === 0) return ''
  const written = pairs.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`,
  )
  return `?${bad(20) ? spoilText(written.join('&'), chance) : written.join('&')}`
}

const oddNames = [
  '__proto__',
  'constructor',
  'page',
  'per_page',
  'a[]',
  'a[b]',
  'dry_run',
  'export',
  'as',
  '',
  'é',
  'cursor',
]

function bodyFor({ bodyType, bodySchema }: Endpoint, words: Vocabulary, chance: Chance, bad: Bad): Buffer | undefined {
  if (!bodySchema) return bad(10) ? Buffer.from(print(hostileValue(chance))) : undefined
  if (bad(25)) return undefined
  if (bodyType === 'application/x-ndjson') return recordsFor(chance, bad)
  let value = valueFor(bodySchema, 'body', words, chance)
  for (let rounds = bad(1) ? 1 + chance.below(3) : 0; rounds > 0; rounds--) value = spoil(value, chance)
  const bytes = Buffer.from(print(value))
  if (bad(20)) return Buffer.concat([bytes, Buffer.from([0xff, 0xfe, 0xc3])])
  return bad(20) ? bytes.subarray(0, chance.below(bytes.length + 1)) : bytes
}

function recordsFor(chance: Chance, bad: Bad): Buffer {
  const record = { EdgeStartTimestamp: '2026-11-15T00:00:00Z', ClientIP: '192.0.2.7', EdgeResponseStatus: 200 }
  const lines = Array.from({ length: 1 + chance.below(4) }, () => print(bad(2) ? spoil(record, chance) : record))
  return Buffer.from(bad(6) ? `[${lines.join(',')}]` : lines.join(chance.one(['\n', '\r\n', '\n\n'])))
}

function headersFor(
  endpoint: Endpoint,
  known: Known,
  body: Buffer | undefined,
  chance: Chance,
  bad: Bad,
): readonly Header[] {
  const credential = bad(10) ? chance.one(badCredentials) : chance.one(known.credentials)
  const type = bad(10) ? chance.one(types) : (endpoint.bodyType ?? 'application/json')
  const framing: Header[] = []
  if (body) framing.push(chance.isOneIn(10) ? ['transfer-encoding', 'chunked'] : ['content-length', `${body.length}`])
  return [
    ['host', bad(20) ? chance.one(hosts) : 'localhost'],
    ...credential,
    ...(body || bad(20) ? [['content-type', type] as const] : []),
    ...framing,
    ...(bad(4) ? [chance.one(oddHeaders)] : []),
    ...(bad(8) ? [chance.one(oddHeaders)] : []),
  ]
}

const types = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/xml',
  'multipart/form-data',
  '*/*',
  ';;;',
]
const hosts = ['', 'a'.repeat(3_000), 'evil.invalid', 'localhost:99999', '[::1', 'a b', '\xff\xfe', '@', '"><script>']
const badCredentials: readonly (readonly Header[])[] = [
  [],
  [['authorization', 'Bearer ']],
  [['authorization', `Bearer ${'x'.repeat(40)}`]],
  [['authorization', `Bearer ${'\xff'.repeat(40)}`]],
  [['x-auth-email', "' or 1=1--@a.b"]],
  [
    ['x-auth-email', 'nobody@nowhere.invalid'],
    ['x-auth-key', '0'.repeat(37)],
  ],
]
const oddHeaders: readonly Header[] = [
  ['content-encoding', 'gzip'],
  ['content-encoding', 'zstd'],
  ['content-encoding', 'br, gzip'],
  ['accept-encoding', 'gzip'],
  ['accept', 'text/html'],
  ['if-match', '"1"'],
  ['if-match', '*'],
  ['if-match', '\xff'.repeat(1_000)],
  ['idempotency-key', 'k'],
  ['idempotency-key', '\xe9'.repeat(256)],
  ['x-spillway-interface', 'UI\x9b31m'],
  ['x-forwarded-for', '1.2.3.4, , ::1, nonsense'],
  ['x-forwarded-uri', '/a\tb?c=%zz#d'],
  ['x-forwarded-proto', 'gopher'],
  ['x-original-url', 'https://[::1/x'],
  ['x-request-id', '\x80'.repeat(64)],
  ['transfer-encoding', 'gzip, chunked'],
  ['range', 'bytes=0-0,-1'],
  ['cookie', 'a=b; '.repeat(400)],
  ['expect', '100-continue'],
  ['origin', 'https://evil.invalid'],
  ['user-agent', '\x9d0;owned\x9c'],
  ['authorization', 'Basic YTpi'],
  ['x-http-method-override', 'DELETE'],
]

function spoilPath(path: string, chance: Chance): string {
  const segments = path.split('/')
  const at = 1 + chance.below(segments.length - 1)
  const odd = [
    '..',
    '.',
    '',
    '%2f',
    '%2e%2e',
    '%00',
    '%zz',
    '%c3',
    '%ff',
    ';a=b',
    '*',
    'a'.repeat(5_000),
    '%252f',
    '\xe9',
    '\\',
    '__proto__',
  ]
  switch (chance.below(6)) {
    case 0:
      return segments.toSpliced(at, 0, chance.one(odd)).join('/')
    case 1:
      return segments.with(at, chance.one(odd)).join('/')
    case 2:
      return segments.toSpliced(at, 1).join('/')
    case 3:
      return path.replace('/logexport/', '/logpush/')
    case 4:
      return chance.one([
        `${path}/`,
        `//${path}`,
        `http://evil.invalid${path}`,
        path.toUpperCase(),
        '*',
        '/',
        `/..${path}`,
      ])
    default:
      return chance.one(besides)
  }
}

const besides = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/v4/openapi.json',
  '/console/x',
  '/assets/..%2findex.html',
  '/v4',
  '/instant-logs/ws/sessions/x',
]

/** What the HTTP client of Node agrees to send in a request line: everything else is sent as raw bytes by other tests. */
const sendable = (target: string): string =>
  target.replaceAll(/[^\x21-\xff]/g, (char) => encodeURIComponent(char.toWellFormed()))

const someRules = actions.flatMap(({ name, examples }) =>
  (examples.length === 0 ? [undefined] : examples).map((action_parameters) => ({
    action: name,
    expression: 'http.request.uri.path contains "/a" or ip.src in {192.0.2.0/24}',
    ...(action_parameters === undefined ? {} : { action_parameters }),
  })),
)
const expressions = [
  'true',
  'http.host eq "example.com" and not ssl',
  'http.request.uri.path matches "^/a(b|c)*d$"',
  'lower(http.user_agent) contains "bot"',
  'any(http.request.headers["x-a"][*] eq "1")',
  'http.request.uri.path wildcard "*/a*/b*"',
  'regex_replace(http.request.uri.path, "(a+)+$", "b") eq "b"',
]
const confs = [
  ...kinds.flatMap(({ examples }) => examples).map((conf) => conf.replaceAll('example.com', 'example.invalid')),
  'file:///fuzz/{DATE}',
  'https://receiver.invalid/in?header_Authorization=secret',
  'https://127.0.0.1/in?header_Authorization=secret',
]
const options = [
  'fields=RayID,ClientIP&timestamps=rfc3339&sample=0.5',
  'fields=Nope',
  'CVE-2021-44228=true',
  'sample=0',
  '&&=',
]
const filter =
  '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500},{"key":"ClientIP","operator":"!eq","value":"192.0.2.1"}]}}'

const rules = [someRules[0], { ...someRules[0], expression: 'ssl', action: 'log' }]
const draft = { name: 'mine', phase: 'http_request_firewall_custom', rules }
const justNow = (): { start: string; end: string } => ({
  start: new Date(Date.now() - 60_000).toISOString(),
  end: new Date().toISOString(),
})

/** Whole bodies that are good, by the end of the address they go to. */
function bodiesFor(template: string, method: string, known: Known): readonly unknown[] {
  const end = template.replace(/^\/(zones|accounts)\/\{\w+\}/, '')
  const isZone = template.startsWith('/zones/')
  const bodies: Record<string, readonly unknown[]> = {
    '/rulesets': [
      { ...draft, kind: isZone ? 'zone' : 'custom' },
      { ...draft, kind: isZone ? 'zone' : 'root', phase: 'http_request_firewall_managed', rules: [] },
    ],
    '/rulesets/{ruleset_id}': [{ rules }, { description: 'changed', rules: [] }],
    '/rulesets/phases/{phase}/entrypoint': [{ rules: isZone ? rules : [] }],
    '/rulesets/{ruleset_id}/rules': rules,
    '/rulesets/{ruleset_id}/rules/{rule_id}': [{ enabled: false }, rules[0], { position: { index: 1 } }],
    '/rulesets/trace': [{ url: 'https://www.example.com/a?b=c', method: 'GET', headers: { 'X-A': ['1', '2'] } }],
    '/request-tracer/trace': [{ url: 'https://www.example.com/', method: 'POST', body: { plain_text: 'a=b' } }],
    '/rulesets/replay': [{ expression: 'http.request.uri.path contains "a"' }, { ruleset: { rules } }],
    '/managed/rulesets': [
      { name: 'managed', phase: 'http_request_firewall_managed', rules: [{ ...rules[0], ref: 'one' }] },
    ],
    '/logexport/jobs/{job_id}': [{ enabled: false }, { name: 'renamed' }, { frequency: 'low' }, { filter }],
    '/rules/lists': [{ name: `l${known.fresh}`, kind: 'ip' }],
    '/rules/lists/{list_id}': [{ description: 'changed' }],
    '/rules/lists/{list_id}/items':
      method === 'DELETE'
        ? [{ items: (known.ids.get('item') ?? []).slice(0, 2).map((id) => ({ id })) }]
        : [[{ ip: '192.0.2.1' }], [{ ip: '2001:db8::/32', comment: 'x' }]],
    '/logexport/jobs/{job_id}/backfill': [justNow()],
    '/logexport/jobs/{job_id}/audit': [justNow(), { ...justNow(), repair: true }],
    '/logexport/jobs': [...confs, 'https://receiver.invalid/?header_Authorization=secret'].map((destination_conf) => ({
      destination_conf: destination_conf.replace('.invalid/', `.invalid/${known.fresh}/`),
      dataset: isZone ? 'http_requests' : 'audit_logs',
      enabled: false,
    })),
  }
  return bodies[end] ?? []
}

/** What fields of these names hold in real requests, so that they get past the first check. */
function vocabularyFor({ tag, template, method }: Endpoint, known: Known): Vocabulary {
  const ids = known.ids.get(tag) ?? []
  const { start, end } = justNow()
  const times = ['2026-11-15T00:00:00Z', start, end]
  const isFetch = template.endsWith('/logs/received')
  const words: Record<string, readonly unknown[]> = {
    zone_id: known.zones,
    account_id: known.accounts,
    account: known.accounts.map((id) => ({ id })),
    phase: ['http_request_firewall_custom', ...phases.map(({ name }) => name)],
    version: ['1', '1', '2', '3'],
    tag: ['sqli', 'xss', 'wordpress'],
    dataset: ['http_requests', 'firewall_events', 'dns_logs', 'audit_logs'],
    destination_conf: confs,
    logfetch_options: options,
    output_options: [{ field_names: ['RayID'], output_type: 'csv', batch_prefix: 'x' }, { 'CVE-2021-44228': true }],
    filter: [filter],
    expression: expressions,
    rule: someRules,
    rules: [someRules.slice(0, 3), [someRules[0]], []],
    action: actions.map(({ name }) => name),
    action_parameters: actions.flatMap(({ examples }) => examples),
    ratelimit: [
      { characteristics: ['ip.src', 'cf.colo.id'], period: 60, requests_per_period: 5, mitigation_timeout: 60 },
    ],
    name: ['example.com', 'a-rule', 'office', 'z.test'],
    email: ['someone@example.test'],
    start: isFetch ? [start] : times,
    end: isFetch ? [end] : times,
    since: times,
    before: times,
    fields: ['RayID,ClientIP', 'RayID'],
    sample: ['0.5', '1'],
    timestamps: ['rfc3339', 'unix'],
    count: ['10'],
    'CVE-2021-44228': ['true'],
    ray_id: ['8f0a1b2c3d4e5f60', '8f0a1b2c3d4e5f60-FRA'],
    body: bodiesFor(template, method, known),
  }
  return (name) => words[name] ?? (name.endsWith('_id') ? (known.ids.get(name.slice(0, -3)) ?? ids) : undefined)
}

/** Bytes that are no HTTP any more: a request printed as it would be sent, and then damaged. */
export function damage({ method, target, headers, body }: FuzzRequest, chance: Chance): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n')
  const at = chance.below(head.length)
  const spoilt = chance.one([
    head.slice(0, at) + String.fromCharCode(chance.below(256)) + head.slice(at),
    head.slice(0, at) + head.slice(at + 1 + chance.below(8)),
    head.replaceAll('\r\n', '\n'),
    head.replace('\r\n', `\r\n${'x'.repeat(chance.below(30_000))}: 1\r\n`),
    head.replace('\r\n', '\r\ncontent-length: 5\r\n'),
    head.replace('\r\n', '\r\ntransfer-encoding: chunked\r\n'),
    head.replace('HTTP/1.1', chance.one(['HTTP/1.0', 'HTTP/2.0', 'http/1.1', ''])),
    head.replace('\r\n', '\r\n folded: 1\r\n'),
  ])
  return Buffer.concat([Buffer.from(spoilt, 'latin1'), body ?? Buffer.alloc(0)])
}

/** The same body packed as its header says, where it says so. */
export function packed(request: FuzzRequest, chance: Chance): FuzzRequest {
  const encoding = request.headers.find(([name]) => name === 'content-encoding')?.[1]
  if (!request.body || chance.isOneIn(3) || (encoding !== 'gzip' && encoding !== 'zstd')) return request
  const body = encoding === 'gzip' ? gzipSync(request.body) : zstdCompressSync(request.body)
  const headers = request.headers.map(
    ([name, value]): Header => [name, name === 'content-length' ? `${body.length}` : value],
  )
  return { ...request, body, headers }
}
