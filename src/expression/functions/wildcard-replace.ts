/** The function `wildcard_replace` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal, optional } from '../define.ts'
import { defaultLimits } from '../limits.ts'
import { flagsFrom, literalOf } from '../literal-argument.ts'
import { fillReplacement, replacementProblem } from '../replacement.ts'
import { capture, parseWildcard, type Wildcard } from '../wildcard.ts'

export const wildcardReplace = defineFunction({
  name: 'wildcard_replace',
  says: `When the whole source matches the wildcard, the replacement with \`\${1}\` standing for what the first star took; each star takes as little as it can. Else the source itself. Ignores case unless the flag \`s\` is given.`,
  takes: [
    field('source', 'Bytes'),
    literal('wildcard_pattern', 'Bytes'),
    literal('replacement', 'Bytes'),
    optional(literal('flags', 'Bytes')),
  ],
  gives: 'Bytes',
  phases: ['http_request_transform', 'http_request_dynamic_redirect'],
  valueOnly: true,
  once: true,
  check: (at, argument) => {
    const value = String(literalOf(argument))
    if (at === 1) {
      const wildcard = parseWildcard(value, true, defaultLimits.wildcardStars)
      return typeof wildcard === 'string' ? wildcard : undefined
    }
    if (at === 2) return replacementProblem(value)
    return at === 3 ? flagsFrom(argument, 's') : undefined
  },
  examples: [
    [
      `wildcard_replace(http.request.full_uri, "https://*.example.com/*/*", "https://example.com/\${1}/\${2}/\${3}")`,
      'https://example.com/apps/calendar/admin?expand=true',
      { 'http.request.full_uri': 'https://apps.example.com/calendar/admin?expand=true' },
    ],
    [
      `wildcard_replace(http.request.uri.path, "/apps/*", "/\${1}")`,
      '/calendar',
      { 'http.request.uri.path': '/Apps/calendar' },
    ],
    [
      `wildcard_replace(http.request.uri.path, "/apps/*", "/\${1}", "s")`,
      '/Apps/calendar',
      { 'http.request.uri.path': '/Apps/calendar' },
    ],
  ],
  prepare: ([, pattern, replacement, flags]) => {
    const wildcard = parseWildcard(pattern as string, flags !== 's', defaultLimits.wildcardStars) as Wildcard
    return (source) => {
      const taken = capture(wildcard, source)
      return taken ? fillReplacement(replacement as string, [source, ...taken]) : source
    }
  },
})
