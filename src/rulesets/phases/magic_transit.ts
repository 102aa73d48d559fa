/** Network firewall: the phase `magic_transit`. */
import { definePhase } from './phase.ts'

export const magicTransit = definePhase({
  name: 'magic_transit',
  title: 'Network firewall',
  says: 'Filters packets by address, port and protocol before any HTTP is spoken. Traffic is let through early by a skip of the current ruleset.',
  scopes: ['account'],
  stage: 'network',
  actions: {
    root: ['block', 'skip', 'log'],
  },
  maxRules: 200,
})
