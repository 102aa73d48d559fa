/** Managed network firewall: the phase `magic_transit_managed`. */
import { definePhase } from './phase.ts'

export const magicTransitManaged = definePhase({
  name: 'magic_transit_managed',
  title: 'Managed network firewall',
  says: 'Deploys managed packet filters.',
  scopes: ['account'],
  stage: 'network',
  actions: {
    root: ['execute'],
    managed: ['block', 'log'],
  },
  maxRules: 10,
})
