/** The function `coalesce` of the rules language: its page, its examples, its work. */
import { defineFunction, either } from '../define.ts'

export const coalesce = defineFunction({
  name: 'coalesce',
  says: 'The first argument that is not missing. All arguments have one type.',
  takes: [either('value', 'Bytes', 'Int', 'Bool', 'Ip', 'Array<_>', 'Map<_>')],
  rest: { param: either('value', 'first'), atLeast: 0 },
  gives: 'first',
  missing: 'passed',
  examples: [
    ['coalesce(len(http.request.headers["x-a"]), 0)', 0, { 'http.request.headers': {} }],
    ['coalesce(http.host, "none")', 'a', { 'http.host': 'a' }],
    ['coalesce(http.host)', undefined],
  ],
  run: (...given) => given.find((value) => value !== undefined),
})
