/** Custom log fields: the phase `http_log_custom_fields`. */
import { definePhase } from './phase.ts'

export const httpLogCustomFields = definePhase({
  name: 'http_log_custom_fields',
  title: 'Custom log fields',
  says: 'Names headers and cookies whose values go into the log record.',
  scopes: ['zone'],
  stage: 'response',
  actions: {
    zone: ['log_custom_field'],
  },
  maxRules: 10,
})
