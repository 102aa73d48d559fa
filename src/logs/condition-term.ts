/**
 * Conditions that no filter of a job can say: terms over the fields of a dataset, into which other languages are
 * translated, and their SQL. Texts are byte strings, one character a byte.
 *
 * Values do not travel as parameters here: those go into the address of the query, and a list of ten thousand networks
 * does not fit there. They are written as hex digits and decimal digits only, in `hex` and `digits` below, which nothing
 * a person wrote can leave (decision 0022).
 */
import { column } from './tables.ts'

export type Term =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'text'; readonly bytes: string }
  | { readonly kind: 'number'; readonly value: number | bigint }
  | { readonly kind: 'truth'; readonly value: boolean }
  | { readonly kind: 'apply'; readonly op: TermOperator; readonly to: readonly Term[] }
  /** Whether a text is one of these. */
  | { readonly kind: 'among'; readonly of: Term; readonly texts: readonly string[] }
  /** Whether a number is within one of these, both ends included. */
  | { readonly kind: 'within'; readonly of: Term; readonly ranges: readonly NumberRange[] }
  /** Whether a text is an address within one of these. */
  | { readonly kind: 'address'; readonly of: Term; readonly ranges: readonly AddressRange[] }
  /** Whether a text has a match of an RE2 pattern in which each byte is one character. */
  | { readonly kind: 'matches'; readonly of: Term; readonly pattern: string }

export type NumberRange = { readonly first: number | bigint; readonly last: number | bigint }
export type AddressRange = { readonly family: 4 | 6; readonly first: bigint; readonly last: bigint }

const infix =
  (word: string) =>
  (...terms: readonly string[]) =>
    `(${terms.join(` ${word} `)})`

const operators = {
  and: infix('AND'),
  or: infix('OR'),
  xor: (...terms: readonly string[]) => terms.reduce((left, right) => `xor(${left}, ${right})`),
  not: (term: string) => `(NOT ${term})`,
  eq: infix('='),
  ne: infix('!='),
  ge: infix('>='),
  le: infix('<='),
  gt: infix('>'),
  lt: infix('<'),
  bits: (value: string, mask: string) => `(bitAnd(${value}, ${mask}) != 0)`,
  lower: (text: string) => `lower(${text})`,
  upper: (text: string) => `upper(${text})`,
  length: (text: string) => `toInt64(length(${text}))`,
  concat: (...texts: readonly string[]) => `concat(${texts.join(', ')})`,
  startsWith: (text: string, start: string) => `startsWith(${text}, ${start})`,
  endsWith: (text: string, end: string) => `endsWith(${text}, ${end})`,
  contains: (text: string, part: string) => `(position(${text}, ${part}) > 0)`,
  /** What stands behind the first mark; nothing without one. */
  after: (text: string, mark: string) =>
    `if(position(${text}, ${mark}) = 0, '', substring(${text}, position(${text}, ${mark}) + length(${mark})))`,
  seconds: (nanos: string) => `intDiv(${nanos}, 1000000000)`,
  isAddress: (text: string) => `(${v4(text)} IS NOT NULL OR ${v6(text)} IS NOT NULL)`,
} as const satisfies Record<string, (...terms: string[]) => string>

export type TermOperator = keyof typeof operators

export function termSql(term: Term): string {
  switch (term.kind) {
    case 'field':
      return column(term.name)
    case 'text':
      return `unhex('${hex(term.bytes)}')`
    case 'number':
      return `toInt64(${digits(term.value)})`
    case 'truth':
      return term.value ? 'true' : 'false'
    case 'apply':
      return (operators[term.op] as (...terms: string[]) => string)(...term.to.map(termSql))
    case 'among':
      return term.texts.length === 0
        ? 'false'
        : `has([${term.texts.map((text) => `'${hex(text)}'`).join(', ')}], hex(${termSql(term.of)}))`
    case 'within':
      return inRanges(
        termSql(term.of),
        term.ranges.map(({ first, last }) => [`toInt64(${digits(first)})`, `toInt64(${digits(last)})`]),
      )
    case 'address':
      return addressSql(termSql(term.of), term.ranges)
    case 'matches':
      // Bytes as characters, so that RE2 counts bytes as the language does, and not characters of UTF-8.
      return `match(convertCharset(${termSql(term.of)}, 'latin1', 'utf8'), unhex('${hex(utf8(term.pattern))}'))`
  }
}

const v4 = (text: string): string => `IPv4StringToNumOrNull(${text})`
const v6 = (text: string): string => `if(position(${text}, ':') > 0, IPv6StringToNumOrNull(${text}), NULL)`

function addressSql(text: string, ranges: readonly AddressRange[]): string {
  const of = (family: 4 | 6) => ranges.filter((range) => range.family === family)
  const four = of(4).map(({ first, last }) => [`toUInt32(${digits(first)})`, `toUInt32(${digits(last)})`] as const)
  const six = of(6).map(({ first, last }) => [`'${wide(first)}'`, `'${wide(last)}'`] as const)
  const parts = [
    ...(four.length === 0 ? [] : [`ifNull(${inRanges(v4(text), four)}, false)`]),
    ...(six.length === 0 ? [] : [`ifNull(${inRanges(`hex(${v6(text)})`, six)}, false)`]),
  ]
  return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`
}

/** A few as comparisons; many as arrays, which the parser takes faster than as many comparisons. */
function inRanges(value: string, ranges: readonly (readonly [first: string, last: string] | string[])[]): string {
  if (ranges.length === 0) return 'false'
  if (ranges.length <= 20)
    return `(${ranges.map(([first, last]) => `(${value} >= ${first} AND ${value} <= ${last})`).join(' OR ')})`
  const all = (at: 0 | 1) => `[${ranges.map((range) => range[at]).join(', ')}]`
  return `arrayExists((low, high) -> ${value} >= low AND ${value} <= high, ${all(0)}, ${all(1)})`
}

const hex = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('hex').toUpperCase()
const wide = (address: bigint): string => address.toString(16).toUpperCase().padStart(32, '0')
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const digits = (value: number | bigint): string => BigInt(value).toString()
