/** Refuses the request, with a page of the rule's own when it brings one. */
import { object, oneOf, optional, required, text, whole } from '../shape.ts'
import { defineAction } from './action.ts'

const parameters = object({
  response: optional(
    object({
      status_code: required(whole(400, 499)),
      content: required(text({ min: 1, maxBytes: 30 * 1024 })),
      content_type: required(oneOf('application/json', 'text/html', 'text/plain', 'text/xml')),
    }),
  ),
})

export const block = defineAction({
  name: 'block',
  says: 'Refuses the request with 403, or 429 where a rate limit is passed, or with the response given here.',
  terminating: true,
  parameters: () => parameters,
  examples: [{}, { response: { status_code: 451, content: 'Not here.', content_type: 'text/plain' } }],
  act({ response }, { phase }) {
    if (response)
      return {
        kind: 'block',
        status: response.status_code,
        headers: { 'content-type': response.content_type },
        body: response.content,
      }
    const status = phase.name.endsWith('ratelimit') ? 429 : 403
    return { kind: 'block', status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'Blocked.\n' }
  },
})
