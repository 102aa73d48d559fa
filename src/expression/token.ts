/**
 * The smallest pieces: white space, words, operators and the spelling of plain text. A source is read by moving `at`;
 * what cannot be read stops the parser with a span. Words are read as prefixes, with no boundary behind them
 * (`notssl` is `not ssl`), because that is how the hosted product reads them.
 */
import { toBytes } from './bytes.ts'
import { Stop } from './fault.ts'

export type Source = { readonly text: string; at: number; readonly end: number }

/** White space around an expression does not count, tabs included; inside it, a tab is an error. */
export const sourceOf = (text: string): Source => {
  const inner = text.trim()
  const at = inner === '' ? 0 : text.indexOf(inner)
  return { text, at, end: at + inner.length }
}

/** Stops at a span; without an end the span is all that is left. */
export const stop = (source: Source, message: string, from = source.at, to = source.end): never => {
  throw new Stop(message, from, to)
}

export const isAtEnd = (source: Source): boolean => source.at >= source.end

export const peek = (source: Source, ahead = 0): string =>
  source.at + ahead < source.end ? source.text.charAt(source.at + ahead) : ''

export const skipSpace = (source: Source): void => {
  for (; source.at < source.end; source.at++) {
    const code = source.text.charCodeAt(source.at)
    if (code !== 0x20 && code !== 0x0d && code !== 0x0a) return
  }
}

export const startsHere = (source: Source, word: string): boolean =>
  source.at + word.length <= source.end && source.text.startsWith(word, source.at)

/** Reads a word if it stands here. */
export const take = (source: Source, word: string): boolean => {
  if (!startsHere(source, word)) return false
  source.at += word.length
  return true
}

export const expect = (source: Source, word: string): void => {
  if (!take(source, word)) stop(source, `expected literal ${JSON.stringify(word)}`)
}

/** Reads the first of several spellings and tells what it stands for. */
export const takeOne = <T>(source: Source, spellings: readonly (readonly [string, T])[]): T | undefined => {
  for (const [spelling, meaning] of spellings) if (take(source, spelling)) return meaning
  return undefined
}

export const takeWhile = (source: Source, fits: (code: number) => boolean, name: string): string => {
  const from = source.at
  while (source.at < source.end && fits(source.text.charCodeAt(source.at))) source.at++
  if (source.at === from) stop(source, `expected ${name}`)
  return source.text.slice(from, source.at)
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
export const isHexDigit = (code: number): boolean =>
  isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46)
const isWordCharacter = (code: number): boolean =>
  isDigit(code) || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f

/** A dotted name, read as far as it goes. */
export const takeName = (source: Source): string => {
  const from = source.at
  do takeWhile(source, isWordCharacter, 'identifier character')
  while (take(source, '.'))
  return source.text.slice(from, source.at)
}

/** As many characters as asked for, or a stop that counts those that were left. */
export const takeCharacters = (source: Source, count: number): string => {
  const from = source.at
  let at = from
  for (let taken = 0; taken < count; taken++) {
    if (at >= source.end) stop(source, `expected ${count} characters, but found ${taken}`)
    at += (source.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  source.at = at
  return source.text.slice(from, at)
}

/** The text between quotes, after the opening one. The escapes are `\"`, `\\`, `\xHH` and `\OOO`; the result is bytes. */
const takeQuoted = (source: Source): string => {
  const opening = source.at
  let bytes = ''
  let plainFrom = source.at
  const plain = (): string => toBytes(source.text.slice(plainFrom, source.at))
  for (;;) {
    if (isAtEnd(source)) stop(source, 'could not find an ending quote', opening)
    const here = peek(source)
    if (here === '"') {
      bytes += plain()
      source.at++
      return bytes
    }
    if (here === '\\') {
      bytes += plain()
      source.at++
      bytes += takeEscape(source, opening)
      plainFrom = source.at
    } else source.at++
  }
}

const takeEscape = (source: Source, opening: number): string => {
  if (isAtEnd(source)) stop(source, 'could not find an ending quote', opening)
  const from = source.at
  const escaped = takeCharacters(source, 1)
  if (escaped === '"' || escaped === '\\') return escaped
  if (escaped === 'x') return takeByte(source, 2, 16)
  if (escaped >= '0' && escaped <= '7') {
    source.at = from
    return takeByte(source, 3, 8)
  }
  return stop(source, 'expected ", xHH or OOO after \\', from, source.at)
}

/** One byte in a fixed number of digits. */
export const takeByte = (source: Source, digits: number, radix: 8 | 16): string => {
  const from = source.at
  const written = takeCharacters(source, digits)
  const valid = radix === 16 ? /^[0-9a-fA-F]+$/ : /^[0-7]+$/
  if (!valid.test(written)) stop(source, notANumber('invalid digit found in string', radix), from, source.at)
  const byte = Number.parseInt(written, radix)
  if (byte > 0xff) stop(source, notANumber('number too large to fit in target type', radix), from, source.at)
  return String.fromCharCode(byte)
}

export const notANumber = (why: string, radix: number): string => `${why} while parsing with radix ${radix}`

/** A raw string after its `r`: `"…"` or `#"…"#`, with no escapes at all. The result is the text as written. */
export const takeRaw = (source: Source): string => {
  const from = source.at
  while (peek(source) === '#') source.at++
  const hashes = source.at - from
  if (hashes > 255) stop(source, "invalid raw string hash count, there can't be more than 255 #s", from)
  if (!take(source, '"')) stop(source, 'expected " or #')
  const begin = source.at
  const ending = `"${'#'.repeat(hashes)}`
  const close = source.text.indexOf(ending, begin)
  if (close === -1 || close + ending.length > source.end) stop(source, 'could not find an ending quote', from)
  source.at = close + ending.length
  return source.text.slice(begin, close)
}

/** `"…"` or `r"…"` as bytes. */
export const takeString = (source: Source): string => {
  if (isAtEnd(source)) stop(source, 'unrecognised input')
  if (take(source, '"')) return takeQuoted(source)
  if (take(source, 'r')) return toBytes(takeRaw(source))
  return stop(source, 'expected " or r')
}
