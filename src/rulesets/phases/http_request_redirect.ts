/** Bulk redirects: the phase `http_request_redirect`. */
import { definePhase } from './phase.ts'

export const httpRequestRedirect = definePhase({
  name: 'http_request_redirect',
  title: 'Bulk redirects',
  says: 'Redirects by looking an address up in a list of the account.',
  scopes: ['account'],
  stage: 'request',
  actions: {
    root: ['redirect'],
  },
  maxRules: 300,
})
