/** Custom error rules: the phase `http_custom_errors`. */
import { definePhase } from './phase.ts'

export const httpCustomErrors = definePhase({
  name: 'http_custom_errors',
  title: 'Custom error rules',
  says: 'Replaces the body of an error answer.',
  scopes: ['account', 'zone'],
  stage: 'response',
  actions: {
    root: ['serve_error'],
    zone: ['serve_error'],
  },
  maxRules: 300,
})
