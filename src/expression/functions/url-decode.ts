/** The function `url_decode` of the rules language: its page, its examples, its work. */
import { toBytes } from '../bytes.ts'
import { defineFunction, field, literal, optional } from '../define.ts'
import { flagsFrom } from '../literal-argument.ts'

export const urlDecode = defineFunction({
  name: 'url_decode',
  says: 'Percent-decoding; `+` becomes a space, malformed escapes stay. With `r` until nothing is left to decode, with `u` also `%uXXXX`.',
  takes: [field('source', 'Bytes'), optional(literal('options', 'Bytes'))],
  gives: 'Bytes',
  check: (at, argument) => (at === 1 ? flagsFrom(argument, 'ru') : undefined),
  examples: [
    ['url_decode(http.request.uri.query)', 'John Doe', { 'http.request.uri.query': 'John%20Doe' }],
    ['url_decode(http.request.uri.query)', 'John Doe', { 'http.request.uri.query': 'John+Doe' }],
    ['url_decode(http.request.uri.query)', '%20', { 'http.request.uri.query': '%2520' }],
    ['url_decode(http.request.uri.query, "r")', ' ', { 'http.request.uri.query': '%2520' }],
    ['url_decode(http.request.uri.query, "u")', '☁', { 'http.request.uri.query': '%u2601' }],
    ['url_decode(http.request.uri.query)', '100%', { 'http.request.uri.query': '100%' }],
  ],
  run: (source, options = '') =>
    options.includes('r') ? decodeAll(source, options.includes('u')) : decodeOnce(source, options.includes('u')),
})

const once = /\+|%([0-9a-fA-F]{2})/g
const onceUnicode = /\+|%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})/g

const decodeOnce = (source: string, unicode: boolean): string => {
  if (!source.includes('%') && !source.includes('+')) return source
  if (!unicode) return source.replace(once, (written, hex?: string) => (hex ? byteOf(hex) : spaceOr(written)))
  return source.replace(onceUnicode, (written, wide?: string, hex?: string) => {
    if (wide) return unit(wide)
    return hex ? byteOf(hex) : spaceOr(written)
  })
}

const spaceOr = (written: string): string => (written === '+' ? ' ' : written)
const byteOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))
const unit = (wide: string): string => toBytes(String.fromCharCode(Number.parseInt(wide, 16)))

/**
 * Decoding until nothing is left, in one pass. Repeating whole passes would take a quadratic time on `%252525…`; an
 * written never overlaps another, so the end result does not depend on the order, and each decoded byte can be looked at
 * at once together with the bytes before it.
 */
const decodeAll = (source: string, unicode: boolean): string => {
  const out: string[] = []
  const push = (byte: string): void => {
    out.push(byte === '+' ? ' ' : byte)
    const tail = out.slice(-6).join('')
    const [wideEscape, wide] = unicode ? (/%u([0-9a-fA-F]{4})$/.exec(tail) ?? []) : []
    const [written, hex] = /%([0-9a-fA-F]{2})$/.exec(tail) ?? []
    if (wideEscape && wide) {
      out.length -= wideEscape.length
      for (const each of unit(wide)) push(each)
    } else if (written && hex) {
      out.length -= written.length
      push(byteOf(hex))
    }
  }
  for (const byte of source) push(byte)
  return out.join('')
}
