/** Managed rules: the phase `http_request_firewall_managed`. */
import { definePhase } from './phase.ts'

export const httpRequestFirewallManaged = definePhase({
  name: 'http_request_firewall_managed',
  title: 'Managed rules',
  says: 'Deploys managed rulesets with overrides; exceptions are skip rules placed before them.',
  scopes: ['account', 'zone'],
  stage: 'request',
  actions: {
    root: ['execute', 'skip', 'block', 'log'],
    zone: ['execute', 'skip', 'block', 'log'],
    managed: ['block', 'challenge', 'js_challenge', 'managed_challenge', 'log', 'score'],
  },
  maxRules: 1000,
})
