/** The function `regex_replace` of the rules language: its page, its examples, its work. */

import { fromBytes } from '../bytes.ts'
import { defineFunction, either, literal } from '../define.ts'
import { defaultLimits } from '../limits.ts'
import { literalOf } from '../literal-argument.ts'
import { judgeRegex, type Regex, regexFind } from '../regex/index.ts'
import { fillReplacement, replacementProblem } from '../replacement.ts'

export const regexReplace = defineFunction({
  name: 'regex_replace',
  says: `The source with the first match replaced; \`\${1}\` stands for a captured group, \`$$\` for a dollar sign. Without a match the source itself.`,
  takes: [either('source', 'Bytes'), literal('regular_expression', 'Bytes'), literal('replacement', 'Bytes')],
  gives: 'Bytes',
  phases: [
    'http_request_transform',
    'http_request_late_transform',
    'http_response_headers_transform',
    'http_request_dynamic_redirect',
  ],
  valueOnly: true,
  once: true,
  check: (at, argument) => {
    const value = literalOf(argument)
    if (at === 1) {
      const regex = judgeRegex(fromBytes(String(value)), defaultLimits.regexBytes, 'find')
      return 'problem' in regex ? regex.problem : undefined
    }
    return at === 2 ? replacementProblem(String(value)) : undefined
  },
  examples: [
    ['regex_replace("/foo/bar", "/bar$", "/baz")', '/foo/baz'],
    ['regex_replace("/a/a", "/a", "/b")', '/b/a'],
    ['regex_replace("/b", "^/b$", "/b$$")', '/b$'],
    [`regex_replace("/foo/a/path", "^/foo/([^/]*)/(.*)$", "/bar/\${2}/\${1}")`, '/bar/path/a'],
    ['regex_replace("/x", "^/y", "/z")', '/x'],
  ],
  prepare: ([, pattern, replacement]) => {
    const find = regexFind(judgeRegex(fromBytes(pattern as string), defaultLimits.regexBytes, 'find') as Regex)
    return (source) => {
      const match = find(source)
      if (!match) return source
      return source.slice(0, match.from) + fillReplacement(replacement as string, match.groups) + source.slice(match.to)
    }
  },
})
