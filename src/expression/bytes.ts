/**
 * Strings of the rules language are bytes. Here a byte string is a JavaScript string whose every character is one byte
 * (U+0000 to U+00FF), what Buffer calls latin1. That choice makes the byte rules the native ones: `length` counts bytes,
 * `<` orders by bytes, `includes`, `===`, sets and regular expressions work on bytes, and V8 stores such strings in one
 * byte per character. ASCII text, nearly everything in a request, is the same in both worlds and is never copied.
 * Text is turned into bytes once, where it enters: literals when parsed, values when a request is read.
 */

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** The UTF-8 bytes of a text. */
export const toBytes = (text: string): string => (isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1'))

/** The text that bytes spell in UTF-8; bytes that spell none become U+FFFD. */
export const fromBytes = (bytes: string): string =>
  isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')

/** The text, or nothing when the bytes are not UTF-8. */
export const textOf = (bytes: string): string | undefined => {
  const text = fromBytes(bytes)
  return toBytes(text) === bytes ? text : undefined
}

/**
 * Lower case for ASCII letters; every other byte stays. A string without capitals comes back as it is, uncopied. The last
 * answer is kept: the rules of one request ask for the lower case of the same host over and over.
 */
export const lowerAscii = (bytes: string): string => {
  if (bytes !== lastLowered) {
    lastLower = lowered(bytes)
    lastLowered = bytes
  }
  return lastLower
}

let lastLowered = ''
let lastLower = ''

const lowered = (bytes: string): string => {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at)
    if (byte >= 0x41 && byte <= 0x5a) {
      return isAscii(bytes) ? bytes.toLowerCase() : bytes.replace(/[A-Z]+/g, (run) => run.toLowerCase())
    }
  }
  return bytes
}

export const upperAscii = (bytes: string): string =>
  isAscii(bytes) ? bytes.toUpperCase() : bytes.replace(/[a-z]+/g, (run) => run.toUpperCase())
