/** The function `starts_with` of the rules language: its page, its examples, its work. */
import { defineFunction, either, field } from '../define.ts'

export const startsWith = defineFunction({
  name: 'starts_with',
  says: 'True when the first string begins with the second, byte for byte.',
  takes: [field('source', 'Bytes'), either('substring', 'Bytes')],
  gives: 'Bool',
  examples: [
    ['starts_with(http.request.uri.path, "/blog")', true, { 'http.request.uri.path': '/blog/first-post' }],
    ['starts_with(http.request.uri.path, "/Blog")', false, { 'http.request.uri.path': '/blog/first-post' }],
  ],
  run: (source, substring) => source.startsWith(substring),
})
