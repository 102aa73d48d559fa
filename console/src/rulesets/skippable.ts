/** What a skip rule may leave out, in the words of the rulesets room, which tests hold these against. */
export const skippablePhases: Readonly<Record<string, readonly (readonly [name: string, words: string])[]>> = {
  http_request_firewall_custom: [
    ['http_ratelimit', 'Rate limiting rules'],
    ['http_request_sbfm', 'Bot rules'],
    ['http_request_firewall_managed', 'Managed rules'],
  ],
}

export const skippableProducts: readonly (readonly [name: string, words: string])[] = [
  ['bic', 'Browser integrity check'],
  ['hot', 'Hotlink protection'],
  ['rateLimit', 'Rate limits of old'],
  ['securityLevel', 'Security level'],
  ['uaBlock', 'User agent blocking'],
  ['waf', 'Managed rules of old'],
  ['zoneLockdown', 'Zone lockdown'],
]
