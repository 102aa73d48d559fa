/** Response header rules: the phase `http_response_headers_transform`. */
import { definePhase } from './phase.ts'

export const httpResponseHeadersTransform = definePhase({
  name: 'http_response_headers_transform',
  title: 'Response header rules',
  says: 'Sets, adds and removes headers of the answer.',
  scopes: ['zone'],
  stage: 'response',
  actions: {
    zone: ['rewrite'],
  },
  maxRules: 300,
})
