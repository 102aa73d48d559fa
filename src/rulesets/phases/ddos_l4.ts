/** Network flood protection: the phase `ddos_l4`. */
import { definePhase } from './phase.ts'

export const ddosL4 = definePhase({
  name: 'ddos_l4',
  title: 'Network flood protection',
  says: "Deploys the operator's rulesets against floods below HTTP. The network evaluates them; a request only reaches them in a trace.",
  scopes: ['account'],
  stage: 'network',
  actions: {
    root: ['execute'],
    managed: ['block', 'log', 'ddos_dynamic'],
  },
  maxRules: 10,
})
