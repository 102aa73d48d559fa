/** Cache rules: the phase `http_request_cache_settings`. */
import { definePhase } from './phase.ts'

export const httpRequestCacheSettings = definePhase({
  name: 'http_request_cache_settings',
  title: 'Cache rules',
  says: 'Decides what may be kept in a cache, under which key and for how long.',
  scopes: ['zone'],
  stage: 'request',
  actions: {
    zone: ['set_cache_settings'],
  },
  maxRules: 300,
})
