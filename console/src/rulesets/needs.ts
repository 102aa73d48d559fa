/** What a rule needs beside its expression as soon as it has an action: parameters to begin with, a rate. */
import type { Language } from './language.ts'
import type { RuleBody } from './ruleset.ts'

export function needsOf(action: string, phase: string, language: Language | undefined): RuleBody {
  const parameters = parametersOf(action, phase, language)
  return {
    ...(parameters === undefined ? {} : { action_parameters: parameters }),
    ...(countsRequests(phase, action) ? { ratelimit: freshRateLimit } : {}),
  }
}

/** The API's own example, but where it depends on the phase which of several the action accepts. */
function parametersOf(action: string, phase: string, language: Language | undefined): RuleBody | undefined {
  if (action === 'execute') return {}
  if (action === 'rewrite')
    return rewritesAddress(phase)
      ? { uri: { path: { value: '/' } } }
      : { headers: { 'X-Source': { operation: 'set', value: 'edge' } } }
  if (action === 'redirect')
    return redirectsByList(phase)
      ? { from_list: { name: '', key: 'http.request.full_uri' } }
      : { from_value: { target_url: { value: 'https://www.example.com/' }, preserve_query_string: true } }
  const example = language?.actions.find(({ name }) => name === action)?.example
  return example && Object.keys(example).length > 0 ? example : undefined
}

/** In these phases a rewrite changes the address, in all others headers. */
export const rewritesAddress = (phase: string): boolean =>
  phase === 'http_request_transform' || phase === 'http_request_sanitize'

/** In this phase redirects take their targets from lists. */
export const redirectsByList = (phase: string): boolean => phase === 'http_request_redirect'

/** Rules of these phases count, but for those that only run or skip others. */
export const countsRequests = (phase: string, action: string): boolean =>
  phase.endsWith('_ratelimit') && action !== 'execute' && action !== 'skip'

const freshRateLimit: RuleBody = {
  characteristics: ['cf.colo.id', 'ip.src'],
  period: 60,
  requests_per_period: 100,
}
