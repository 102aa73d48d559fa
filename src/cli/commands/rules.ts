/** Tries rule expressions out: what a text means, what it answers for a request, whether a file of cases holds. No service needed. */
import { sayReasons } from '../../base/index.ts'
import { type Checked, checkText, runCases, testAgainstRequest } from '../../expression/index.ts'
import { CommandError, command, UsageError } from '../command.ts'
import { readJson } from '../read-file.ts'
import { print } from '../table.ts'

const valueFlag = {
  type: 'boolean',
  says: 'Take it as a value expression (rewrites, redirects), not as a filter.',
} as const

export const ruleCommands = [
  command({
    name: 'rules check',
    says: 'Say whether a rule expression is valid, and what it uses.',
    takes: "'<expression>'",
    flags: {
      value: valueFlag,
      json: { type: 'boolean', says: 'Print what it means and uses, or its faults, as JSON.' },
    },
    more: `  spillway rules check 'http.host eq "example.org" and not ssl'`,
    async run(terminal, given, words) {
      const checked = checkText(expressionIn(words), given.value ? 'any' : 'bool')
      if (!checked.ok && !given.json) throw new CommandError(sayReasons(checked.reasons))
      if (checked.ok) print(terminal, given, { valid: true, ...checked.value }, () => showChecked(checked.value))
      else print(terminal, given, { valid: false, errors: checked.reasons }, String)
      return checked.ok ? 0 : 1
    },
  }),
  command({
    name: 'rules test',
    says: 'Run a rule expression against a request, or a file of cases.',
    takes: "['<expression>']",
    flags: {
      request: {
        type: 'string',
        value: '<file>',
        says: 'JSON object with values by field name; lists under "$lists".',
      },
      cases: { type: 'string', value: '<file>', says: 'JSON array of cases {id, expr, context, expected}.' },
      value: valueFlag,
      json: { type: 'boolean', says: 'Print how the cases went as JSON; one answer is JSON already.' },
    },
    more: `  spillway rules test 'ip.src in $office' --request request.json
  spillway rules test --cases cases.json

request.json: {"ip.src": "192.0.2.7", "$lists": {"IP": {"office": ["192.0.2.0/24"]}}}
A case expects true, false or "parse_error"; error_message and error_at {line, column} are compared where given.
The exit code is 1 when a case fails, or when the expression or the request cannot be read.`,
    async run(terminal, given, words) {
      if (given.cases !== undefined) {
        if (words.length > 0 || given.request !== undefined) throw new UsageError('--cases brings its own expressions')
        const results = runCases(await readJson(given.cases))
        if (!results.ok) throw new CommandError(`${given.cases}: ${sayReasons(results.reasons)}`)
        const { text, ...counted } = results.value
        print(terminal, given, counted, () => text)
        return counted.failures.length === 0 ? 0 : 1
      }
      if (given.request === undefined) throw new UsageError('say --request <file> or --cases <file>')
      const text = expressionIn(words)
      const answer = testAgainstRequest(text, await readJson(given.request), given.value ? 'any' : 'bool')
      if (!answer.ok) throw new CommandError(sayReasons(answer.reasons))
      terminal.out(JSON.stringify(answer.value))
      return 0
    },
  }),
]

const expressionIn = ([text]: readonly string[]): string => {
  if (text === undefined) throw new UsageError('say the expression, in single quotes')
  return text
}

/** As people read it: the normal form, then a line for each sort of thing it uses. */
const showChecked = ({ expression, gives, ...used }: Checked): string => {
  const lines = Object.entries(used).filter(([, names]) => names.length > 0)
  return [expression, `gives: ${gives}`, ...lines.map(([sort, names]) => `${sort}: ${names.join(', ')}`)].join('\n')
}
