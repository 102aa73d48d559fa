/** Compression rules: the phase `http_response_compression`. */
import { definePhase } from './phase.ts'

export const httpResponseCompression = definePhase({
  name: 'http_response_compression',
  title: 'Compression rules',
  says: 'Chooses how the answer is compressed.',
  scopes: ['zone'],
  stage: 'response',
  actions: {
    zone: ['compress_response'],
  },
  maxRules: 300,
})
