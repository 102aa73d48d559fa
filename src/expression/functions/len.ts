/** The function `len` of the rules language: its page, its examples, its work. */
import { defineFunction, field } from '../define.ts'
import type { Value } from '../values.ts'

export const len = defineFunction({
  name: 'len',
  says: 'Bytes of a string, or elements of an array. Of an absent value it is missing too, so `len(map["k"]) >= 0` asks whether a key exists.',
  takes: [field('value', 'Bytes', 'Array<_>')],
  gives: 'Int',
  examples: [
    ['len(http.host)', 11, { 'http.host': 'example.com' }],
    ['len(http.host)', 5, { 'http.host': 'café' }],
    ['len(http.request.headers["accept"])', 2, { 'http.request.headers': { accept: ['a', 'b'] } }],
    ['len(http.request.headers["absent"])', undefined, { 'http.request.headers': {} }],
  ],
  run: (value) => (value as string | readonly Value[]).length,
})
