/** HTTP flood protection: the phase `ddos_l7`. */
import { definePhase } from './phase.ts'

export const ddosL7 = definePhase({
  name: 'ddos_l7',
  title: 'HTTP flood protection',
  says: "Deploys the operator's rulesets against HTTP floods and tunes them by overrides.",
  scopes: ['account', 'zone'],
  stage: 'request',
  actions: {
    root: ['execute'],
    zone: ['execute'],
    managed: ['block', 'challenge', 'managed_challenge', 'log', 'ddos_dynamic', 'force_connection_close'],
  },
  maxRules: 10,
})
