/** Rate limiting rules: the phase `http_ratelimit`. */
import { definePhase } from './phase.ts'

export const httpRatelimit = definePhase({
  name: 'http_ratelimit',
  title: 'Rate limiting rules',
  says: 'Counts requests by characteristics and acts on those that are too many.',
  scopes: ['account', 'zone'],
  stage: 'request',
  actions: {
    root: ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log', 'execute'],
    zone: ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log'],
    custom: ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log'],
  },
  maxRules: 1000,
})
