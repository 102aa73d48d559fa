/** The reference page of errors, made from the catalogue of problems: every entry is made once, with its parts as names. */
import { type Problem, problems } from '../../src/base/index.ts'
import { statusOf } from '../../src/http/problems.ts'

export function errorsReference(): string {
  const rows = Object.entries(problems).flatMap(([name, make]) => {
    const problem = madeUp(make as (...parts: unknown[]) => Problem)
    return problem.details.map(
      ({ code, message, pointer }) =>
        `| ${statusOf(problem)} | ${code} | ${String(message).replaceAll('|', '\\|')} | ${pointer ? `\`${pointer.replaceAll('`', '')}\`` : ''} | ${name} |`,
    )
  })
  return [
    '# Errors',
    '',
    'A refusal is the usual envelope with `success` false and at least one item in `errors`: `code`, `message`, and where the',
    'mistake lies in the request as a JSON pointer in `source.pointer`. Every answer carries `x-request-id`. A judgement lists',
    'every mistake it found, not only the first. Beside these there is 500 with code 10500: our mistake; the log',
    'has more under the request id.',
    '',
    '| Status | Code | Message | Pointer | Name |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The parameter names of an entry stand for what they would say: `<path>`. An array, so that `join` and `slice` do as well. */
function madeUp(make: (...parts: unknown[]) => Problem): Problem {
  const [, list = ''] = /^\(([^)]*)\)/.exec(make.toString()) ?? []
  const names = list.split(',').map((part) => part.trim())
  const parts = names.map((name) => {
    const isOptional = name.includes('=')
    const word = `\`<${name.replace(/[\s=].*$/, '')}>\``
    return isOptional ? undefined : [Object.assign(new String(word), { message: word })]
  })
  return make(...parts)
}
