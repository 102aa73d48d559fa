/** The function `remove_query_args` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'

const queries = ['http.request.uri.query', 'raw.http.request.uri.query']

export const removeQueryArgs = defineFunction({
  name: 'remove_query_args',
  says: 'The query string without the named parameters, all occurrences; the others keep their order.',
  takes: [field('field', 'Bytes'), literal('name', 'Bytes')],
  rest: { param: literal('name', 'Bytes'), atLeast: 0 },
  gives: 'Bytes',
  phases: ['http_request_transform', 'http_request_late_transform', 'http_response_headers_transform'],
  valueOnly: true,
  check: (at, argument) => {
    if (
      at !== 0 ||
      (argument.kind === 'access' && argument.base.kind === 'field' && queries.includes(argument.base.field.name))
    )
      return undefined
    return `the field must be ${queries.join(' or ')}`
  },
  examples: [
    [
      'remove_query_args(http.request.uri.query, "category")',
      'order=desc',
      { 'http.request.uri.query': 'category=Foo&order=desc&category=Bar' },
    ],
  ],
  run: (query, ...names) =>
    query
      .split('&')
      .filter((part) => !names.includes(part.split('=', 1)[0] ?? ''))
      .join('&'),
})
