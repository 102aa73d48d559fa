/** URL rewrites: the phase `http_request_transform`. */
import { definePhase } from './phase.ts'

export const httpRequestTransform = definePhase({
  name: 'http_request_transform',
  title: 'URL rewrites',
  says: 'Changes path and query of the request that later phases and the origin see.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['rewrite'],
  },
  maxRules: 300,
})
