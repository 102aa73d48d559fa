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
    ['url_decode(http.request.uri.query, "ur")', 'a☁ b', { 'http.request.uri.query': '%u0061%25u2601%252Bb' }],
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
 * escape never overlaps another, so the end result does not depend on the order, and each decoded byte can be looked at
 * at once together with the bytes before it.
 */
const decodeAll = (source: string, unicode: boolean): string => {
  const out: number[] = []
  for (let at = 0; at < source.length; at++) {
    for (let next: number | undefined = source.charCodeAt(at); next !== undefined; ) {
      out.push(next === PLUS ? SPACE : next)
      next = takeEscapeAtEnd(out, unicode)
    }
  }
  return Buffer.from(out).toString('latin1')
}

const [PLUS, SPACE, PERCENT, SMALL_U] = [0x2b, 0x20, 0x25, 0x75]

/** Takes a complete escape off the end and gives the byte to go on with; what cannot be part of an escape goes out at once. */
const takeEscapeAtEnd = (out: number[], unicode: boolean): number | undefined => {
  const end = out.length
  const low = hexDigit(out[end - 1])
  const high = hexDigit(out[end - 2])
  if (low === undefined || high === undefined) return undefined
  if (out[end - 3] === PERCENT) {
    out.length = end - 3
    return high * 16 + low
  }
  const [first, second] = [hexDigit(out[end - 4]), hexDigit(out[end - 3])]
  if (!unicode || out[end - 6] !== PERCENT || out[end - 5] !== SMALL_U) return undefined
  if (first === undefined || second === undefined) return undefined
  out.length = end - 6
  const bytes = Buffer.from(String.fromCharCode((first << 12) | (second << 8) | (high << 4) | low))
  if (bytes.length === 1) return bytes[0]
  out.push(...bytes)
  return undefined
}

const hexDigit = (code: number | undefined): number | undefined => {
  if (code === undefined) return undefined
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}
