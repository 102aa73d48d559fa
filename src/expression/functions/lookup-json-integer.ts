/** The function `lookup_json_integer` of the rules language: its page, its examples, its work. */
import { defineFunction, field, literal } from '../define.ts'
import { lookUp } from '../json-path.ts'

export const lookupJsonInteger = defineFunction({
  name: 'lookup_json_integer',
  says: 'The integer at a path of a JSON text: strings enter objects, zero-based integers enter arrays. Missing when there is none; `42.0` is none.',
  takes: [field('field', 'Bytes'), literal('key', 'Bytes', 'Int')],
  rest: { param: literal('key', 'Bytes', 'Int'), atLeast: 0 },
  gives: 'Int',
  examples: [
    [
      'lookup_json_integer(http.request.body.raw, "product", "id")',
      356,
      { 'http.request.body.raw': '{"product":{"id":356}}' },
    ],
    ['lookup_json_integer(http.request.body.raw, 1)', -234, { 'http.request.body.raw': '["first_item", -234]' }],
    [
      'lookup_json_integer(http.request.body.raw, 1, "product_id")',
      456,
      { 'http.request.body.raw': '[{"product_id":123},{"product_id":456}]' },
    ],
    ['lookup_json_integer(http.request.body.raw, "n")', undefined, { 'http.request.body.raw': '{"n":42.0}' }],
    ['lookup_json_integer(http.request.body.raw, "n")', undefined, { 'http.request.body.raw': 'no JSON' }],
  ],
  run: (json, ...path) => {
    const found = lookUp(json, path)
    return typeof found === 'string' ? undefined : found
  },
})
