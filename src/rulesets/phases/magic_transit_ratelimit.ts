/** Network rate limits: the phase `magic_transit_ratelimit`. */
import { definePhase } from './phase.ts'

export const magicTransitRatelimit = definePhase({
  name: 'magic_transit_ratelimit',
  title: 'Network rate limits',
  says: 'Limits packets or connections by address.',
  scopes: ['account'],
  stage: 'network',
  actions: {
    root: ['block', 'skip', 'log'],
  },
  maxRules: 100,
})
