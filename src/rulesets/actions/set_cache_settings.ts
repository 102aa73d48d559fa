/** Decides whether, where and how long an answer is cached. */
import {
  checked,
  either,
  flag,
  listOf,
  mapOf,
  object,
  oneOf,
  onlyTrue,
  optional,
  type Place,
  required,
  text,
  whole,
} from '../shape.ts'
import { defineAction } from './action.ts'

const names = listOf(text({ min: 1, max: 256 }), { min: 1, max: 200 })
const seconds = whole(0, 31_536_000 * 10)

function judgeTtl({ mode, default: fallback }: { mode: string; default?: number }, place: Place): void {
  if (mode === 'override_origin' && fallback === undefined)
    place.at('default').refuse(undefined, 'it is required with the mode override_origin')
}

const browserTtl = checked(
  object({
    mode: required(oneOf('respect_origin', 'bypass_by_default', 'override_origin', 'bypass')),
    default: optional(seconds),
  }),
  judgeTtl,
)

const statusCode = whole(100, 999)
const statusCodeTtl = object(
  {
    status_code: optional(statusCode),
    status_code_range: optional(
      checked(
        object({ from: optional(statusCode), to: optional(statusCode) }, { someOf: ['from', 'to'] }),
        ({ from = 100, to = 999 }, place) => {
          if (from > to) place.at('from').refuse(from, `it is greater than to, ${to}`)
        },
      ),
    ),
    value: required(whole(-1, 31_536_000 * 10)),
  },
  { exactlyOneOf: ['status_code', 'status_code_range'] },
)

const edgeTtl = checked(
  object({
    mode: required(oneOf('respect_origin', 'bypass_by_default', 'override_origin')),
    default: optional(seconds),
    status_code_ttl: optional(listOf(statusCodeTtl, { max: 100 })),
  }),
  judgeTtl,
)

// Two forms are in the wild, a plain array and {list} or {all}; each is kept as it came.
const queryChoice = either(
  Array.isArray,
  names,
  object({ all: optional(onlyTrue), list: optional(names) }, { exactlyOneOf: ['all', 'list'] }),
)

const cacheKey = object({
  cache_by_device_type: optional(flag),
  cache_deception_armor: optional(flag),
  ignore_query_strings_order: optional(flag),
  custom_key: optional(
    object({
      cookie: optional(object({ check_presence: optional(names), include: optional(names) })),
      header: optional(
        object({
          check_presence: optional(names),
          contains: optional(mapOf(text({ min: 1 }), names)),
          exclude_origin: optional(flag),
          include: optional(names),
        }),
      ),
      host: optional(object({ resolved: optional(flag) })),
      query_string: optional(
        object(
          { include: optional(queryChoice), exclude: optional(queryChoice) },
          { exactlyOneOf: ['include', 'exclude'] },
        ),
      ),
      user: optional(object({ device_type: optional(flag), geo: optional(flag), lang: optional(flag) })),
    }),
  ),
})

const varyAction = required(oneOf('bypass', 'passthrough', 'normalize'))
const vary = object({
  default: optional(object({ action: varyAction })),
  headers: optional(
    mapOf(
      text({ min: 1 }),
      object({
        action: varyAction,
        languages: optional(listOf(text({ min: 1 }), { max: 20 })),
        media_types: optional(listOf(text({ min: 1 }), { max: 10 })),
      }),
    ),
  ),
})

const settings = {
  cache: optional(flag),
  additional_cacheable_ports: optional(listOf(whole(1, 65_535), { max: 100 })),
  browser_ttl: optional(browserTtl),
  edge_ttl: optional(edgeTtl),
  cache_key: optional(cacheKey),
  cache_reserve: optional(object({ eligible: required(flag), minimum_file_size: optional(whole(0)) })),
  origin_cache_control: optional(flag),
  origin_error_page_passthru: optional(flag),
  respect_strong_etags: optional(flag),
  strip_etags: optional(flag),
  strip_last_modified: optional(flag),
  strip_set_cookie: optional(flag),
  read_timeout: optional(whole(100, 6000)),
  serve_stale: optional(object({ disable_stale_while_updating: optional(flag) })),
  shared_dictionary: optional(object({ match_pattern: optional(text({ min: 1, max: 1024 })) })),
  vary: optional(vary),
}

const parameters = object(settings, { someOf: Object.keys(settings) })

export const setCacheSettings = defineAction({
  name: 'set_cache_settings',
  says: 'Sets cache eligibility, lifetimes, key and related settings; for each setting the last matching rule wins.',
  terminating: false,
  parameters: () => parameters,
  examples: [
    {
      cache: true,
      edge_ttl: { mode: 'override_origin', default: 3600, status_code_ttl: [{ status_code: 404, value: 60 }] },
      cache_key: { custom_key: { query_string: { include: { list: ['id'] } } } },
    },
  ],
  act(chosen, { passage }) {
    Object.assign(passage.cache, chosen)
    return undefined
  },
})
