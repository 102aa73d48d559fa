/** Drives a running service with drawn requests, keeps tenants alive to speak about, and shrinks what goes wrong. */
import { Agent, request as send } from 'node:http'
import { access, lists, logexport, makeClient, rulesets } from '../../src/contract/index.ts'
import { sendRaw } from '../raw.ts'
import { type FuzzAnswer, type Judge, makeJudge } from './judge.ts'
import {
  type Document,
  damage,
  drawRequest,
  type Endpoint,
  endpointsOf,
  type FuzzRequest,
  type Header,
  type Known,
  packed,
} from './requests.ts'
import { type Chance, makeChance } from './values.ts'

export type FuzzTarget = { readonly url: string; readonly email: string; readonly key: string }

export type FuzzReport = {
  readonly requests: number
  readonly byStatus: ReadonlyMap<number, number>
  /** Operations of the document by how often they were answered with success. */
  readonly succeeded: ReadonlyMap<string, number>
  readonly slowestMs: number
  readonly failures: readonly { readonly complaint: string; readonly request: string }[]
}

export type FuzzSettings = {
  readonly requests: number
  readonly seed: number
  readonly atOnce?: number
  /** Told after every thousandth request. */
  readonly heard?: (sent: number) => void
}

/** Long enough for a loaded machine; what takes longer hangs. */
const patienceMs = 60_000
const mostFailures = 5

export async function fuzz(
  target: FuzzTarget,
  { requests, seed, atOnce = 8, heard }: FuzzSettings,
): Promise<FuzzReport> {
  const document = (await (await fetch(`${target.url}/v4/openapi.json`)).json()) as Document
  const endpoints = endpointsOf(document)
  const judge = makeJudge(endpoints)
  const town = makeTown(target)
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const byStatus = new Map<number, number>()
  const succeeded = new Map(endpoints.map(({ operation }) => [operation, 0]))
  const failures: { complaint: string; request: string }[] = []
  let sent = 0
  let slowestMs = 0

  const ask = (request: FuzzRequest) => exchange(target.url, request, agent)
  const one = async (number: number): Promise<void> => {
    // Each request has a seed of its own, so that its neighbours' answers do not change how it is drawn.
    const chance = makeChance(seed * 1_000_003 + number)
    // Every operation in turn, so that each gets its share.
    const endpoint = endpoints[number % endpoints.length]
    if (!endpoint) return
    const drawn = packed(drawRequest(endpoint, town.known(endpoint, chance), chance), chance)
    const began = performance.now()
    const isDamaged = chance.isOneIn(25)
    const answer = await (isDamaged ? exchangeDamaged(target.url, drawn, chance) : ask(drawn)).catch(
      (error) => error as Error,
    )
    slowestMs = Math.max(slowestMs, performance.now() - began)
    if (answer === undefined) return
    const complaint =
      answer instanceof Error
        ? answer.message
        : judge({ ...drawn, isOnItsPath: drawn.isOnItsPath && !isDamaged }, answer)
    if (!(answer instanceof Error)) {
      byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1)
      if (answer.status < 300 && drawn.isOnItsPath)
        succeeded.set(endpoint.operation, (succeeded.get(endpoint.operation) ?? 0) + 1)
      if (answer.status < 300) town.hear(endpoint.tag, drawn, answer)
    }
    if (complaint === undefined) return
    const smallest = isDamaged || answer instanceof Error ? drawn : await shrink(drawn, ask, judge)
    failures.push({ complaint: `request ${number} of seed ${seed}: ${complaint}`, request: told(smallest) })
  }

  const work = async (): Promise<void> => {
    while (sent < requests && failures.length < mostFailures) {
      const number = sent++
      if (number % 250 === 0) await town.settle()
      if (number % 1000 === 0) heard?.(number)
      await one(number)
    }
  }
  await town.settle()
  await Promise.all(Array.from({ length: atOnce }, work))
  agent.destroy()
  return { requests: sent, byStatus, succeeded, slowestMs, failures }
}

function exchange(url: string, { method, target, headers, body }: FuzzRequest, agent: Agent): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const flat = [...headers.flat(), 'connection', 'keep-alive']
    const request = send(
      { hostname, port, method, path: target, headers: flat, agent, setDefaultHeaders: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      },
    )
    request.setTimeout(patienceMs, () => request.destroy(new Error(`no answer within ${patienceMs / 1000} seconds`)))
    request.on('error', reject)
    request.end(body)
  })
}

/** What is damaged may end without an answer when half a request was all there was; that is the caller's patience, not ours. */
async function exchangeDamaged(url: string, request: FuzzRequest, chance: Chance): Promise<FuzzAnswer | undefined> {
  const answer = await sendRaw(url, damage(request, chance), 400).catch(() => undefined)
  if (!answer) return undefined
  // What is left of a damaged body may be answered too, as a request of its own.
  const bytes = Buffer.from(answer.body, 'latin1').subarray(
    0,
    Number(answer.headers.get('content-length') ?? answer.body.length),
  )
  const isCut = answer.headers.get('transfer-encoding') === 'chunked' || request.method === 'HEAD'
  return isCut || answer.status < 200
    ? undefined
    : { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes }
}

/** Drops headers, parts of the query and of the body for as long as the answer stays wrong in the same way. */
async function shrink(
  request: FuzzRequest,
  ask: (request: FuzzRequest) => Promise<FuzzAnswer>,
  judge: Judge,
): Promise<FuzzRequest> {
  const first = await complaintOf(request, ask, judge)
  if (first === undefined) return request
  let smallest = request
  for (let rounds = 0; rounds < 200; rounds++) {
    let next: FuzzRequest | undefined
    for (const smaller of smallerThan(smallest)) {
      if ((await complaintOf(smaller, ask, judge))?.slice(0, 20) !== first.slice(0, 20)) continue
      next = smaller
      break
    }
    if (!next) break
    smallest = next
  }
  return smallest
}

const complaintOf = async (request: FuzzRequest, ask: (request: FuzzRequest) => Promise<FuzzAnswer>, judge: Judge) => {
  const answer = await ask(request).catch(() => undefined)
  return answer && judge(request, answer)
}

function* smallerThan(request: FuzzRequest): Generator<FuzzRequest> {
  const { headers, target, body } = request
  const [path = '', query = ''] = target.split('?')
  for (const [at, [name]] of headers.entries()) {
    if (!['host', 'content-length', 'transfer-encoding'].includes(name))
      yield { ...request, headers: headers.toSpliced(at, 1) }
  }
  const pairs = query === '' ? [] : query.split('&')
  for (const at of pairs.keys())
    yield { ...request, target: [path, ...[pairs.toSpliced(at, 1).join('&')].filter(Boolean)].join('?') }
  for (const smaller of body ? smallerBodies(body) : []) {
    const framed = headers.map(
      ([name, value]): Header => [name, name === 'content-length' ? `${smaller.length}` : value],
    )
    yield { ...request, headers: framed, body: smaller }
  }
}

/** Fewer members, shorter texts: what JSON allows, or halves where it is none. */
function* smallerBodies(body: Buffer): Generator<Buffer> {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    if (body.length > 1) yield* [body.subarray(0, body.length >> 1), body.subarray(body.length >> 1)]
    return
  }
  for (const smaller of smallerValues(value)) yield Buffer.from(JSON.stringify(smaller))
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === 'string' && value.length > 8)
    yield* [value.slice(0, value.length >> 1), value.slice(value.length >> 1)]
  if (Array.isArray(value)) {
    if (value.length > 8) yield* [value.slice(0, value.length >> 1), value.slice(value.length >> 1)]
    for (const at of value.slice(0, 8).keys()) {
      yield value.toSpliced(at, 1)
      for (const smaller of smallerValues(value[at])) yield value.with(at, smaller)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value).slice(0, 30)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
      for (const smaller of smallerValues(member)) yield { ...value, [name]: smaller }
    }
  }
}

/** As it could be sent again by hand; credentials are the fuzzer's own. */
const told = ({ method, target, headers, body }: FuzzRequest): string =>
  [
    `${method} ${target.slice(0, 500)}`,
    ...headers.map(([name, value]) => `${name}: ${value.slice(0, 500)}`),
    '',
    body?.toString('utf8').slice(0, 2_000) ?? '',
  ].join('\n')

type Town = {
  /** Mostly one tenant and its own credentials; now and then a stranger's. */
  known(endpoint: Endpoint, chance: Chance): Known
  /** Makes a tenant with everything an operation can speak of, because the requests delete what they find. */
  settle(): Promise<void>
  /** Learns the ids that an answer tells, and a key that was replaced. */
  hear(tag: string, request: FuzzRequest, answer: FuzzAnswer): void
}

const mostIds = 12
const rolling = 'POST /user/key'

function makeTown({ url, email, key }: FuzzTarget): Town {
  let settled = 0
  let used = 0
  const ids = new Map<string, string[]>()
  const learn = (tag: string, id: string) =>
    ids.set(tag, [id, ...(ids.get(tag) ?? []).filter((one) => one !== id)].slice(0, mostIds))
  const tenants: { account: string; zone: string; credentials: (readonly Header[])[] }[] = []
  const client = makeClient({ baseUrl: `${url}/v4`, credential: { email, key } })
  const ownHeaders: readonly Header[] = [
    ['x-auth-email', email],
    ['x-auth-key', key],
  ]

  async function settle(): Promise<void> {
    settled += 1
    const made = await client.call(access.createAccount, { body: { name: `fuzzed ${settled}` } })
    const scope = { account: made.id }
    const { id: zoneId } = await client.call(access.createZone, {
      body: { name: `fuzzed-${settled}.test`, account: { id: made.id } },
    })
    const role = 'administrator'
    const member = await client.call(access.addMember, {
      scope,
      body: { email: `fuzzer-${settled}-${made.id.slice(0, 6)}@fuzz.test`, role },
    })
    const all = [
      'account:admin',
      'logs:read',
      'logs:edit',
      'logs:ingest',
      'rulesets:read',
      'rulesets:edit',
      'edge:decide',
    ] as const
    const token = await client.call(access.createToken, { scope, body: { name: 'whole', permissions: [...all] } })
    const limited = await client.call(access.createToken, {
      scope,
      body: { name: 'limited', permissions: [...all], zones: [zoneId] },
    })
    const destination_conf = `https://receiver-${settled}.invalid/in?header_Authorization=fuzz`
    for (const [kind, id] of [
      ['zone', { zone: zoneId }],
      ['account', scope],
    ] as const) {
      const dataset = kind === 'zone' ? 'http_requests' : 'audit_logs'
      // One that the exporter leaves alone: a receiver that is not there would only be tried again and again.
      const body = { destination_conf: destination_conf.replace('/in', `/${kind}`), dataset, enabled: false }
      learn('job', String((await client.call(logexport.createJob, { scope: id, body })).id))
    }
    const rule = { action: 'block', expression: 'http.request.uri.path contains "/fuzzed"' }
    const draft = { name: 'fuzzed', phase: 'http_request_firewall_custom', rules: [rule, rule] }
    const whole = await client.call(rulesets.createRuleset, { scope, body: { ...draft, kind: 'custom' } })
    const inZone = await client.call(rulesets.createRuleset, {
      scope: { zone: zoneId },
      body: { ...draft, kind: 'zone' },
    })
    const list = await client.call(lists.createList, { scope, body: { name: `fuzzed_${settled}`, kind: 'ip' } })
    for (const [kind, id] of idsIn([whole, inZone, list, member, token])) learn(kind ?? 'other', id)
    // Only now: whoever is known may be deleted at any moment.
    tenants.unshift({
      account: made.id,
      zone: zoneId,
      credentials: [
        [
          ['x-auth-email', member.email],
          ['x-auth-key', member.api_key ?? ''],
        ],
        [['authorization', `Bearer ${token.value}`]],
        [['authorization', `Bearer ${limited.value}`]],
      ],
    })
    tenants.splice(3)
  }

  return {
    settle,
    known({ operation }, chance) {
      const about = chance.isOneIn(8) ? tenants : [chance.one(tenants)]
      return {
        ids,
        fresh: ++used,
        accounts: about.map((one) => one.account),
        zones: about.map((one) => one.zone),
        // The owner's key stays, or nobody could settle tenants any more.
        credentials: [...(operation === rolling ? [] : [ownHeaders]), ...about.flatMap((one) => one.credentials)],
      }
    },
    hear(tag, request, answer) {
      if (!/^application\/json/.test(String(answer.headers['content-type']))) return
      const { result } = JSON.parse(answer.body.toString('utf8')) as { result?: unknown }
      const fresh = (result as { api_key?: unknown } | null | undefined)?.api_key
      if (typeof fresh === 'string' && request.operation === rolling) {
        const held = request.headers.find(([name]) => name === 'x-auth-key')?.[1]
        for (const tenant of tenants)
          tenant.credentials = tenant.credentials.map((one) =>
            one.map(([name, value]): Header => [name, value === held ? fresh : value]),
          )
      }
      for (const [kind, id] of idsIn(result)) learn(kind ?? tag, id)
    },
  }
}

/** What carries an id is known by its other members. */
const tellTales = {
  ruleset: 'phase',
  rule: 'expression',
  list: 'num_items',
  token: 'issued_on',
  member: 'roles',
  job: 'destination_conf',
} as const

function* idsIn(value: unknown, depth = 0): Generator<[kind: string | undefined, id: string]> {
  if (typeof value !== 'object' || value === null || depth > 4) return
  if ('id' in value && (typeof value.id === 'string' || typeof value.id === 'number')) {
    const kind = Object.entries(tellTales).find(([, member]) => member in value)?.[0]
    yield [kind, String(value.id)]
  }
  for (const member of Object.values(value)) yield* idsIn(member, depth + 1)
}
