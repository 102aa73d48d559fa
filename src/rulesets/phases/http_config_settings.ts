/** Configuration rules: the phase `http_config_settings`. */
import { definePhase } from './phase.ts'

export const httpConfigSettings = definePhase({
  name: 'http_config_settings',
  title: 'Configuration rules',
  says: 'Switches settings of the edge for matching requests.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['set_config'],
  },
  maxRules: 300,
})
