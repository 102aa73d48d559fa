/** Replaces the body of an error answer. */
import { checked, object, oneOf, optional, text, whole } from '../shape.ts'
import { defineAction } from './action.ts'

const parameters = checked(
  object(
    {
      content: optional(text({ min: 1, maxBytes: 10 * 1024 })),
      asset_name: optional(text({ min: 1, max: 200 })),
      content_type: optional(oneOf('application/json', 'text/html', 'text/plain', 'text/xml')),
      status_code: optional(whole(400, 999)),
    },
    { exactlyOneOf: ['content', 'asset_name'] },
  ),
  ({ content, content_type }, place) => {
    if (content !== undefined && content_type === undefined)
      place.at('content_type').refuse(undefined, 'it is required')
  },
)

export const serveError = defineAction({
  name: 'serve_error',
  says: 'Answers an error with this content, or with a page the edge keeps under a name.',
  terminating: true,
  parameters: () => parameters,
  examples: [{ content: '<h1>Back soon</h1>', content_type: 'text/html', status_code: 503 }],
  act: ({ content, asset_name, content_type, status_code }, { responseStatus }) => ({
    kind: 'error',
    status: status_code ?? responseStatus ?? 500,
    headers: {
      'content-type': content_type ?? 'text/html',
      ...(asset_name === undefined ? {} : { 'x-spillway-asset': encodeURIComponent(asset_name) }),
    },
    body: content ?? '',
  }),
})
