/** The function `has_key` of the rules language: its page, its examples, its work. */
import { defineFunction, either, field } from '../define.ts'
import type { Value } from '../values.ts'

export const hasKey = defineFunction({
  name: 'has_key',
  says: 'True when the map holds the key, byte for byte.',
  takes: [field('map', 'Map<_>'), either('key', 'Bytes')],
  gives: 'Bool',
  examples: [
    ['has_key(http.request.headers, "x-one")', true, { 'http.request.headers': { 'x-one': ['1'] } }],
    ['has_key(http.request.headers, "X-One")', false, { 'http.request.headers': { 'x-one': ['1'] } }],
  ],
  run: (map, key) => (map as ReadonlyMap<string, Value>).has(key),
})
