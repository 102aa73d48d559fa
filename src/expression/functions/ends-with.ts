/** The function `ends_with` of the rules language: its page, its examples, its work. */
import { defineFunction, either, field } from '../define.ts'

export const endsWith = defineFunction({
  name: 'ends_with',
  says: 'True when the first string ends with the second, byte for byte.',
  takes: [field('source', 'Bytes'), either('substring', 'Bytes')],
  gives: 'Bool',
  examples: [
    ['ends_with(http.request.uri.path, ".html")', true, { 'http.request.uri.path': '/welcome.html' }],
    ['ends_with(http.request.uri.path, ".HTML")', false, { 'http.request.uri.path': '/welcome.html' }],
  ],
  run: (source, substring) => source.endsWith(substring),
})
