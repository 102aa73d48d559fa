/** Changes single directives of Cache-Control. */
import { checked, filled, flag, listOf, object, oneOf, optional, required, text, whole } from '../shape.ts'
import { defineAction } from './action.ts'

const operation = required(oneOf('set', 'remove'))
const only = filled(flag, false)

const timed = checked(
  object({ operation, value: optional(whole(0)), cloudflare_only: only }),
  ({ operation: wanted, value }, place) => {
    if (wanted === 'set' && value === undefined) place.at('value').refuse(undefined, 'it is required to set a time')
    if (wanted === 'remove' && value !== undefined)
      place.at('value').refuse(value, 'a directive is removed without one')
  },
)
const qualified = object({
  operation,
  qualifiers: optional(listOf(text({ min: 1 }), { max: 50 })),
  cloudflare_only: only,
})
const plain = object({ operation, cloudflare_only: only })

const directives = {
  'max-age': optional(timed),
  's-maxage': optional(timed),
  'stale-if-error': optional(timed),
  'stale-while-revalidate': optional(timed),
  'no-cache': optional(qualified),
  private: optional(qualified),
  immutable: optional(plain),
  'must-revalidate': optional(plain),
  'must-understand': optional(plain),
  'no-store': optional(plain),
  'no-transform': optional(plain),
  'proxy-revalidate': optional(plain),
  public: optional(plain),
}

const parameters = object(directives, { someOf: Object.keys(directives) })

export const setCacheControl = defineAction({
  name: 'set_cache_control',
  says: 'Sets or removes directives of Cache-Control on the answer; for each directive the last matching rule wins.',
  terminating: false,
  parameters: () => parameters,
  examples: [{ 'max-age': { operation: 'set', value: 60 }, 'no-store': { operation: 'remove' } }],
  act(changes, { passage }) {
    Object.assign(passage.cacheControl, changes)
    return undefined
  },
})
