/** The function `split` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'
import { literalOf, numberBetween } from '../literal-argument.ts'
import { arrayOf } from '../type.ts'

export const split = defineFunction({
  name: 'split',
  says: 'The string cut at every separator, into at most `limit` items: the last keeps the rest. Empty pieces are kept.',
  takes: [field('input', 'Bytes'), literal('separator', 'Bytes'), literal('limit', 'Int')],
  gives: arrayOf('Bytes'),
  phases: ['http_response_headers_transform', 'http_custom_errors'],
  check: (at, argument) => {
    if (at === 1 && literalOf(argument) === '') return 'the separator must not be empty'
    return at === 2 ? numberBetween(argument, 1, 128, 'the limit') : undefined
  },
  examples: [
    ['split(http.host, ",", 3)', ['a', 'b', 'c,d'], { 'http.host': 'a,b,c,d' }],
    ['split(http.host, ",", 64)', ['a', '', 'b'], { 'http.host': 'a,,b' }],
  ],
  run: (input, separator, limit) => {
    const pieces = input.split(separator)
    const most = Number(limit)
    return pieces.length <= most ? pieces : [...pieces.slice(0, most - 1), pieces.slice(most - 1).join(separator)]
  },
})
