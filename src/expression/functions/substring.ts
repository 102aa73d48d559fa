/** The function `substring` of the rules language: its page, its examples, its work. */
import { defineFunction, either, field, optional } from '../define.ts'

export const substring = defineFunction({
  name: 'substring',
  says: 'Bytes from `start` up to, not including, `end`; negative numbers count from the end. Out of range is cut to what is there.',
  takes: [field('field', 'Bytes'), either('start', 'Int'), optional(either('end', 'Int'))],
  gives: 'Bytes',
  examples: [
    ['substring(http.request.body.raw, 2, 5)', 'dfg', { 'http.request.body.raw': 'asdfghjk' }],
    ['substring(http.request.body.raw, 2)', 'dfghjk', { 'http.request.body.raw': 'asdfghjk' }],
    ['substring(http.request.body.raw, -2)', 'jk', { 'http.request.body.raw': 'asdfghjk' }],
    ['substring(http.request.body.raw, 0, -2)', 'asdfgh', { 'http.request.body.raw': 'asdfghjk' }],
    ['substring(http.request.body.raw, 5, 99)', 'hjk', { 'http.request.body.raw': 'asdfghjk' }],
  ],
  run: (text, start, end) => text.slice(Number(start), end === undefined ? undefined : Number(end)),
})
