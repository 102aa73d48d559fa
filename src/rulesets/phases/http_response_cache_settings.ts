/** Response cache rules: the phase `http_response_cache_settings`. */
import { definePhase } from './phase.ts'

export const httpResponseCacheSettings = definePhase({
  name: 'http_response_cache_settings',
  title: 'Response cache rules',
  says: 'Changes cache directives and cache tags of an answer. Its place is not documented anywhere; it runs before header rules, so that those have the last word.',
  scopes: ['zone'],
  stage: 'response',
  actions: {
    zone: ['set_cache_control', 'set_cache_tags'],
  },
  maxRules: 300,
})
