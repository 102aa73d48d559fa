/** Request header rules: the phase `http_request_late_transform`. */
import { definePhase } from './phase.ts'

export const httpRequestLateTransform = definePhase({
  name: 'http_request_late_transform',
  title: 'Request header rules',
  says: 'Sets and removes headers of the request on its way to the origin.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['rewrite'],
  },
  maxRules: 300,
})
