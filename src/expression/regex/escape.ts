/** Escapes of regular expressions, inside and outside of classes. */
import type { Look } from './syntax.ts'

/** A pattern under reading. */
export type Pattern = { readonly text: string; at: number; readonly names: Set<string> }

/** Thrown while a pattern is read, caught by `parseRegex`. */
export class RegexStop {
  readonly message: string
  readonly from: number
  readonly to: number

  constructor(message: string, from: number, to: number) {
    this.message = message
    this.from = from
    this.to = to
  }
}

export const stopRegex = (message: string, from: number, to = from + 1): never => {
  throw new RegexStop(message, from, to)
}

export type Escape =
  | { readonly kind: 'byte'; readonly byte: number }
  | { readonly kind: 'class'; readonly of: 'd' | 's' | 'w'; readonly negated: boolean }
  | { readonly kind: 'look'; readonly look: Look }

const controls: Record<string, number> = { a: 0x07, f: 0x0c, t: 0x09, n: 0x0a, r: 0x0d, v: 0x0b }
const looks: Record<string, Look> = { A: 'start', z: 'end', b: 'word', B: 'notWord' }
const hexLengths: Record<string, number> = { x: 2, u: 4, U: 8 }

export const readEscape = (reading: Pattern): Escape => {
  const from = reading.at
  const code = reading.text.codePointAt(from + 1)
  if (code === undefined) {
    return stopRegex('incomplete escape sequence, reached end of pattern prematurely', from)
  }
  const escaped = String.fromCodePoint(code)
  reading.at = from + 1 + escaped.length
  if (/^[0-9]$/.test(escaped)) return stopRegex('backreferences are not supported', from, reading.at)
  if (escaped in hexLengths) return { kind: 'byte', byte: readHex(reading, from, hexLengths[escaped] ?? 2) }
  if (escaped === 'p' || escaped === 'P') return stopRegex('Unicode not allowed here', from, reading.at)
  if (/^[dsw]$/i.test(escaped)) {
    return { kind: 'class', of: escaped.toLowerCase() as 'd' | 's' | 'w', negated: escaped < 'a' }
  }
  const control = controls[escaped]
  if (control !== undefined) return { kind: 'byte', byte: control }
  const look = looks[escaped]
  if (look) return readLook(reading, from, look)
  // Every other ASCII character but letters and angle brackets may be escaped and is itself.
  if (code <= 0x7f && !/^[A-Za-z<>]$/.test(escaped)) return { kind: 'byte', byte: code }
  return stopRegex('unrecognized escape sequence', from, reading.at)
}

const readLook = (reading: Pattern, from: number, look: Look): Escape => {
  if (look === 'word' && /^\{(?:start|end|start-half|end-half)\}/.test(reading.text.slice(reading.at))) {
    return stopRegex('one-sided word boundaries are not supported', from, reading.at)
  }
  return { kind: 'look', look }
}

/** `\xHH`, `\uHHHH`, `\UHHHHHHHH`, and each with braces. With exactly two digits `\x` is a byte. */
const readHex = (reading: Pattern, from: number, length: number): number => {
  if (reading.text.charAt(reading.at) === '{') return readBracedHex(reading, from)
  const begin = reading.at
  for (; reading.at < begin + length; reading.at++) {
    const digit = reading.text.charAt(reading.at)
    if (digit === '') stopRegex('incomplete escape sequence, reached end of pattern prematurely', from)
    if (!/^[0-9a-fA-F]$/.test(digit)) stopRegex('invalid hexadecimal digit', reading.at)
  }
  const code = Number.parseInt(reading.text.slice(begin, reading.at), 16)
  if (length === 2) return code
  return asciiOnly(code, from, reading.at)
}

const readBracedHex = (reading: Pattern, from: number): number => {
  const begin = reading.at + 1
  const close = reading.text.indexOf('}', begin)
  if (close === -1)
    stopRegex('incomplete escape sequence, reached end of pattern prematurely', from, reading.text.length)
  const written = reading.text.slice(begin, close)
  if (written === '') stopRegex('hexadecimal literal empty', begin - 1, close + 1)
  const wrong = written.search(/[^0-9a-fA-F]/)
  if (wrong !== -1) stopRegex('invalid hexadecimal digit', begin + wrong)
  reading.at = close + 1
  return asciiOnly(Number.parseInt(written, 16), from, reading.at)
}

const asciiOnly = (code: number, from: number, to: number): number => {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return stopRegex('hexadecimal literal is not a Unicode scalar value', from, to)
  }
  return code > 0x7f ? stopRegex('Unicode not allowed here', from, to) : code
}
