/** Sensitive data detection: the phase `http_response_firewall_managed`. */
import { definePhase } from './phase.ts'

export const httpResponseFirewallManaged = definePhase({
  name: 'http_response_firewall_managed',
  title: 'Sensitive data detection',
  says: 'Deploys managed rulesets that look at answers.',
  scopes: ['zone'],
  stage: 'response',
  actions: {
    zone: ['execute'],
    managed: ['log'],
  },
  maxRules: 10,
})
