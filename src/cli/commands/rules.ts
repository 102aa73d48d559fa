/** Tries rule expressions out: what a text means, what it answers for a request, whether a file of cases holds. No service needed. */
import { readFile } from 'node:fs/promises'
import { sayReasons } from '../../base/index.ts'
import { checkText, runCases, testAgainstRequest } from '../../expression/index.ts'
import { CommandError, command, UsageError } from '../command.ts'

const valueFlag = {
  type: 'boolean',
  says: 'Take it as a value expression (rewrites, redirects), not as a filter.',
} as const

export const ruleCommands = [
  command({
    name: 'rules check',
    says: 'Say whether a rule expression is valid, and what it uses.',
    takes: "'<expression>'",
    flags: { value: valueFlag },
    more: `  spillway rules check 'http.host eq "example.org" and not ssl'`,
    async run(terminal, given, words) {
      const checked = checkText(onlyWord(words), given.value ? 'any' : 'bool')
      if (!checked.ok) throw new CommandError(sayReasons(checked.reasons))
      terminal.out(checked.value)
      return 0
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
        terminal.out(results.value.text)
        return results.value.failures.length === 0 ? 0 : 1
      }
      if (given.request === undefined) throw new UsageError('say --request <file> or --cases <file>')
      const text = onlyWord(words)
      const answer = testAgainstRequest(text, await readJson(given.request), given.value ? 'any' : 'bool')
      if (!answer.ok) throw new CommandError(sayReasons(answer.reasons))
      terminal.out(JSON.stringify(answer.value))
      return 0
    },
  }),
]

const onlyWord = (words: readonly string[]): string => {
  const [text, more] = words
  if (text === undefined || more !== undefined)
    throw new UsageError('give the expression as one word, in single quotes')
  return text
}

const readJson = async (path: string): Promise<unknown> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === 'ENOENT' ? `there is no file ${path}` : `cannot read ${path}: ${error.message}`,
    )
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandError(`${path} is not JSON: ${(error as Error).message}`)
  }
}
