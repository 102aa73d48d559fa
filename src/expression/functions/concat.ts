/** The function `concat` of the rules language: its page, its examples, its work. */
import { defineFunction, either } from '../define.ts'
import type { Value } from '../values.ts'

export const concat = defineFunction({
  name: 'concat',
  says: 'Strings joined, or arrays of one type joined. Missing arguments count as empty; the result is missing only when all are.',
  takes: [either('value', 'Bytes', 'Array<_>')],
  rest: { param: either('value', 'first'), atLeast: 1 },
  gives: 'first',
  missing: 'passed',
  examples: [
    ['concat("String1", " ", "String", "2")', 'String1 String2'],
    ['concat("/", http.request.accepted_languages[0], http.host)', '/a', { 'http.host': 'a' }],
    ['concat(http.host, http.host)', undefined],
  ],
  run: (...given) => {
    const present = given.filter((value): value is Value => value !== undefined)
    if (present.length === 0) return undefined
    return Array.isArray(present[0]) ? present.flatMap((value) => value as readonly Value[]) : present.join('')
  },
})
