/** Bot rules: the phase `http_request_sbfm`. */
import { definePhase } from './phase.ts'

export const httpRequestSbfm = definePhase({
  name: 'http_request_sbfm',
  title: 'Bot rules',
  says: 'Acts on requests by how likely they come from a machine.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['block', 'challenge', 'js_challenge', 'managed_challenge'],
  },
  maxRules: 100,
})
