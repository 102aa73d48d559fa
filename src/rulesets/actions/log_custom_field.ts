/** Puts headers and cookies into the log record. */
import { filled, flag, listOf, object, optional, required, text } from '../shape.ts'
import { defineAction } from './action.ts'

const name = required(text({ min: 1, max: 256 }))
const named = listOf(object({ name }), { min: 1, max: 100 })
const namedAnswer = listOf(object({ name, preserve_duplicates: filled(flag, false) }), { min: 1, max: 100 })
const members = [
  'request_fields',
  'transformed_request_fields',
  'response_fields',
  'raw_response_fields',
  'cookie_fields',
] as const

const parameters = object(
  {
    request_fields: optional(named),
    transformed_request_fields: optional(named),
    response_fields: optional(namedAnswer),
    raw_response_fields: optional(namedAnswer),
    cookie_fields: optional(named),
  },
  { someOf: members },
)

export const logCustomField = defineAction({
  name: 'log_custom_field',
  says: 'Names request headers, response headers and cookies whose values are logged with the request.',
  terminating: true,
  parameters: () => parameters,
  examples: [
    { request_fields: [{ name: 'x-trace' }], response_fields: [{ name: 'etag' }], cookie_fields: [{ name: 'ab' }] },
  ],
  act(fields, { passage }) {
    for (const member of members) if (fields[member]) passage.logFields[member] = fields[member]
    return undefined
  },
})
