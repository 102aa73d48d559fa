/** Intrusion detection: the phase `magic_transit_ids_managed`. */
import { definePhase } from './phase.ts'

export const magicTransitIdsManaged = definePhase({
  name: 'magic_transit_ids_managed',
  title: 'Intrusion detection',
  says: 'Deploys managed signatures that watch traffic.',
  scopes: ['account'],
  stage: 'network',
  actions: {
    root: ['execute'],
    managed: ['block', 'log'],
  },
  maxRules: 10,
})
