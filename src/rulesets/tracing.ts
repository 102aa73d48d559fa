/** Tries a request out on what is deployed: every rule that was looked at, and what would come of it. Counts nothing. */
import { newId, problems, type Scope } from '../base/index.ts'
import { accepted, type RulesetNeeds } from './change.ts'
import { deploy } from './deployment.ts'
import { evaluate } from './evaluate.ts'
import { loadDeployed } from './load.ts'
import { makeCounters } from './ratelimit.ts'
import { type EdgeResponse, type RequestDraft, readRequest } from './request.ts'
import { flag, judgeShape, mapOf, object, optional, required, type Shape, type Shaped, text, whole } from './shape.ts'

const anything: Shape<unknown> = (value) => value ?? null
const word = text({ max: 8192 })
const place = {
  city: 'ip.src.city',
  continent: 'ip.src.continent',
  is_eu_country: 'ip.src.is_in_european_union',
  iso_code: 'ip.src.country',
  latitude: 'ip.src.lat',
  longitude: 'ip.src.lon',
  postal_code: 'ip.src.postal_code',
  region_code: 'ip.src.region_code',
  subdivision_2_iso_code: 'ip.src.subdivision_2_iso_code',
  timezone: 'ip.src.timezone.name',
} as const

/** A JSON value as the body it stands for. */
const jsonText: Shape<string> = (value, at) => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return at.refuse(value, 'it is nested too deeply')
    throw error
  }
}

const draft = object({
  url: required(text({ min: 1, max: 16_384 })),
  method: required(text({ min: 1, max: 32 })),
  protocol: optional(text({ max: 32 })),
  headers: optional(mapOf(text({ min: 1, max: 256 }), word)),
  cookies: optional(mapOf(text({ min: 1, max: 256 }), word)),
  body: optional(
    object(
      { plain_text: optional(text()), json: optional(jsonText), base64: optional(text()) },
      { exactlyOneOf: ['plain_text', 'json', 'base64'] },
    ),
  ),
  context: optional(
    object({
      bot_score: optional(whole(1, 99)),
      threat_score: optional(whole(0, 100)),
      skip_challenge: optional(flag),
      geoloc: optional(object(Object.fromEntries(Object.keys(place).map((key) => [key, optional(anything)])))),
    }),
  ),
  skip_response: optional(flag),
  ip: optional(text({ max: 50 })),
  // Any field of the language by its name: what the edge would know about the request.
  fields: optional(mapOf(text({ min: 1, max: 128 }), anything)),
  response: optional(object({ status: required(whole(100, 599)), headers: optional(mapOf(text({ min: 1 }), word)) })),
})

type Draft = Shaped<typeof draft>

export async function trace({ db, now }: RulesetNeeds, scope: Scope, body: unknown) {
  const asked = accepted(judgeShape(draft, body))
  const zone = scope.kind === 'zone' ? scope : await zoneOf(db, scope, asked.url)
  const name = zone && (await db.selectFrom('zones').select('name').where('id', '=', zone.id).executeTakeFirst())?.name
  const facts = factsOf(asked, name)
  const request = accepted(readRequest({ ...requestOf(asked), facts }, { at: now(), id: newId() }))
  const response = asked.skip_response ? undefined : responseOf(asked)
  const deployment = deploy(await loadDeployed(db, zone ?? scope))
  const decision = evaluate(deployment, request, {
    counters: makeCounters(),
    trace: true,
    ...(response ? { response } : {}),
  })
  const { answer, passage } = decision
  return {
    status_code: answer?.status ?? response?.status ?? 200,
    action: answer?.match.rule.action ?? 'allow',
    ...(answer ? { answer: { status: answer.status, headers: answer.headers, body: answer.body } } : {}),
    changes: {
      url: `${decision.request.scheme}://${decision.request.host}${decision.request.path}${decision.request.query && `?${decision.request.query}`}`,
      request_headers: passage.requestHeaders,
      response_headers: passage.responseHeaders,
      origin: passage.origin,
      settings: passage.settings,
      cache: passage.cache,
    },
    skipped_products: decision.skippedProducts,
    trace: decision.trace ?? [],
  }
}

/** At account level the host of the address says which of its zones is meant; none is meant when it names none. */
async function zoneOf(db: RulesetNeeds['db'], scope: Scope, url: string): Promise<Scope | undefined> {
  const host = (/^https?:\/\/([^/?#:]+)/i.exec(url)?.[1] ?? '').toLowerCase()
  const labels = host.split('.')
  const names = labels.map((_, at) => labels.slice(at).join('.')).slice(0, 32)
  if (host.includes('\0'))
    throw problems.invalid([{ message: 'the address contains a null character', pointer: '/url' }])
  const zones = await db
    .selectFrom('zones')
    .select(['id', 'name'])
    .where('account_id', '=', scope.account)
    .where('name', 'in', names)
    .execute()
  const [closest] = zones.toSorted((a, b) => b.name.length - a.name.length)
  return closest && { kind: 'zone', id: closest.id, account: scope.account }
}

function requestOf({ url, method, protocol, headers, cookies, body, ip }: Draft): RequestDraft {
  const bytes = body?.base64 === undefined ? undefined : Buffer.from(body.base64, 'base64').toString('utf8')
  const content = body?.plain_text ?? body?.json ?? bytes
  return {
    url,
    method,
    ...(protocol === undefined ? {} : { protocol }),
    ...(headers ? { headers } : {}),
    ...(cookies ? { cookies } : {}),
    ...(content === undefined ? {} : { body: content }),
    ...(ip === undefined ? {} : { ip }),
  }
}

function factsOf({ context, fields = {} }: Draft, zone: string | undefined): Record<string, unknown> {
  const geo = Object.entries(context?.geoloc ?? {}).map(([key, value]) => [place[key as keyof typeof place], value])
  return {
    ...(zone === undefined ? {} : { 'cf.zone.name': zone }),
    ...(context?.bot_score === undefined ? {} : { 'cf.bot_management.score': context.bot_score }),
    ...(context?.threat_score === undefined ? {} : { 'cf.threat_score': context.threat_score }),
    ...Object.fromEntries(geo),
    ...fields,
  }
}

const responseOf = ({ response }: Draft): EdgeResponse | undefined =>
  response && { status: response.status, headers: Object.entries(response.headers ?? {}) }
