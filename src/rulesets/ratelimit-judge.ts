/** Judges the `ratelimit` block of a rule: what is counted, over which time, and what follows. */
import type { Where } from './judge.ts'
import { judgeExpression, usesIpList, usesResponse } from './language.ts'
import type { RateLimit } from './ruleset.ts'
import { checked, filled, flag, listOf, object, oneOf, optional, type Place, required, text, whole } from './shape.ts'

const phasesWithRates = ['http_ratelimit', 'magic_transit_ratelimit']
const periods = [10, 60, 120, 300, 600, 3600] as const
const longestMitigation = 86_400

type Said = { readonly action?: string; readonly expression: string; readonly ratelimit?: unknown }

export function judgeRateLimit(where: Where, said: Said, place: Place): RateLimit | undefined {
  const counts = phasesWithRates.includes(where.phase.name) && said.action !== 'execute' && said.action !== 'skip'
  if (said.ratelimit === undefined)
    return counts ? place.refuse(undefined, `it is required in the phase ${where.phase.name}`) : undefined
  if (!counts) return void place.say(`a ${said.action} rule of the phase ${where.phase.name} has no rate limit`)
  const read = shape(where)(said.ratelimit, place)
  if (!read) return undefined
  const { counting_expression: counting, mitigation_timeout: timeout, ...rest } = read
  judgeTogether(where, said, read, place)
  return {
    ...rest,
    mitigation_timeout: timeout ?? (said.action?.endsWith('challenge') ? 0 : read.period),
    // Empty means the rule's own expression; it is left out of answers as it was left out of the request.
    ...(counting ? { counting_expression: counting } : {}),
  }
}

const shape = (where: Where) =>
  object(
    {
      characteristics: required(
        checked(
          listOf((value, place) => judgeExpression(where, 'characteristic', value, place), {
            min: 1,
            max: 16,
            uniqueBy: (value) => value,
          }),
          (characteristics, place) => judgeCharacteristics(where, characteristics, place),
        ),
      ),
      period: required(oneOf(...periods)),
      requests_per_period: optional(whole(1, 10_000_000)),
      score_per_period: optional(whole(1, 10_000_000)),
      score_response_header_name: optional(text({ min: 1, max: 256 })),
      mitigation_timeout: optional(whole(0, longestMitigation)),
      counting_expression: optional((value, place) =>
        value === '' ? '' : judgeExpression(where, 'count', value, place),
      ),
      requests_to_origin: filled(flag, false),
    },
    { exactlyOneOf: ['requests_per_period', 'score_per_period'] },
  )

function judgeCharacteristics({ phase }: Where, characteristics: readonly string[], place: Place): void {
  if (phase.name === 'http_ratelimit' && !characteristics.includes('cf.colo.id'))
    place.say(
      "characteristics field is missing 'cf.colo.id', this is required as ratelimiting counting is processed at colocation level only",
      20155,
    )
  if (characteristics.includes('ip.src') && characteristics.includes('cf.unique_visitor_id'))
    place.say('characteristics cannot hold both ip.src and cf.unique_visitor_id')
}

type Read = {
  score_per_period?: number
  score_response_header_name?: string
  counting_expression?: string
  requests_to_origin: boolean
}

function judgeTogether(where: Where, { expression }: Said, read: Read, place: Place): void {
  const { counting_expression: counting } = read
  if ((read.score_per_period === undefined) !== (read.score_response_header_name === undefined))
    place.say('score_per_period and score_response_header_name are only possible together')
  if (read.requests_to_origin && usesIpList(expression, where.lists))
    place
      .at('requests_to_origin')
      .say('a rule whose expression uses an IP list cannot count only requests to the origin')
  if (counting && usesResponse(counting) && usesIpList(counting, where.lists))
    place.at('counting_expression').say('a counting expression cannot use both response fields and an IP list')
}
