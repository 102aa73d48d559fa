/** Single redirects: the phase `http_request_dynamic_redirect`. */
import { definePhase } from './phase.ts'

export const httpRequestDynamicRedirect = definePhase({
  name: 'http_request_dynamic_redirect',
  title: 'Single redirects',
  says: 'Answers with a redirect to a fixed or computed address; the first match wins.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['redirect'],
  },
  maxRules: 300,
})
