/** Custom rules: the phase `http_request_firewall_custom`. */
import { definePhase } from './phase.ts'

export const httpRequestFirewallCustom = definePhase({
  name: 'http_request_firewall_custom',
  title: 'Custom rules',
  says: 'The firewall rules a team writes itself. At account level they live in custom rulesets, which the entry point executes.',
  scopes: ['account', 'zone'],
  stage: 'request',
  actions: {
    root: ['execute'],
    zone: ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log', 'skip', 'execute', 'score'],
    custom: ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log', 'skip', 'score', 'rewrite'],
  },
  maxRules: 1000,
  maySkip: ['http_ratelimit', 'http_request_sbfm', 'http_request_firewall_managed'],
})
