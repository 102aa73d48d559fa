/** URL normalisation: the phase `http_request_sanitize`. */
import { definePhase } from './phase.ts'

export const httpRequestSanitize = definePhase({
  name: 'http_request_sanitize',
  title: 'URL normalisation',
  says: 'Deploys the ruleset that brings paths into one form before any other rule looks at them.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['execute'],
    managed: ['rewrite'],
  },
  maxRules: 10,
})
