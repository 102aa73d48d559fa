/** Origin rules: the phase `http_request_origin`. */
import { definePhase } from './phase.ts'

export const httpRequestOrigin = definePhase({
  name: 'http_request_origin',
  title: 'Origin rules',
  says: 'Chooses host, port, host header or server name towards the origin.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['route'],
  },
  maxRules: 300,
})
