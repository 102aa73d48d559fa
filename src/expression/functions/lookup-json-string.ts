/** The function `lookup_json_string` of the rules language: its page, its examples, its work. */
import { toBytes } from '../bytes.ts'
import { defineFunction, field, literal } from '../define.ts'
import { lookUp } from '../json-path.ts'

export const lookupJsonString = defineFunction({
  name: 'lookup_json_string',
  says: 'The string at a path of a JSON text: strings enter objects, zero-based integers enter arrays. Missing when there is none.',
  takes: [field('field', 'Bytes'), literal('key', 'Bytes', 'Int')],
  rest: { param: literal('key', 'Bytes', 'Int'), atLeast: 0 },
  gives: 'Bytes',
  examples: [
    [
      'lookup_json_string(http.request.body.raw, "networks", 1)',
      'example',
      { 'http.request.body.raw': '{"networks":["other","example"]}' },
    ],
    ['lookup_json_string(http.request.body.raw, "n")', undefined, { 'http.request.body.raw': '{"n":1}' }],
  ],
  run: (json, ...path) => {
    const found = lookUp(json, path)
    return typeof found === 'string' ? toBytes(found) : undefined
  },
})
