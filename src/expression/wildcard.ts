/** Wildcards: `*` is any run of bytes, `\*` and `\\` are themselves, the whole value must match. */
import { lowerAscii } from './bytes.ts'

/** The literal pieces between the stars; one piece means there is no star. */
export type Wildcard = { readonly pieces: readonly string[]; readonly ignoresCase: boolean }

/** The wildcard of a pattern, or the sentence that says what is wrong with it. */
export const parseWildcard = (pattern: string, ignoresCase: boolean, starLimit: number): Wildcard | string => {
  const pieces: string[] = []
  let piece = ''
  for (let at = 0; at < pattern.length; at++) {
    const here = pattern.charAt(at)
    if (here === '*') {
      pieces.push(piece)
      piece = ''
    } else if (here === '\\') {
      const escaped = pattern.charAt(at + 1)
      if (escaped === '') return badSyntax(at, 'incomplete escape sequence at the end of the wildcard')
      if (escaped !== '*' && escaped !== '\\') return badSyntax(at, `invalid escape sequence \\${escaped}`)
      piece += escaped
      at++
    } else piece += here
  }
  pieces.push(piece)
  const stars = pieces.length - 1
  if (stars > starLimit) return `wildcard has ${stars} star metacharacters, but the limit is ${starLimit}`
  if (pieces.slice(1, -1).includes('')) return 'wildcard contains a double star'
  return { pieces: ignoresCase ? pieces.map(lowerAscii) : pieces, ignoresCase }
}

const badSyntax = (position: number, why: string): string =>
  `invalid wildcard: wildcard syntax error at position ${position}: ${why}`

/**
 * What each star took, shortest first, or nothing when the value does not match. Taking the first place where a piece
 * fits is enough: no later place leaves more room for the pieces behind it. Linear in the value for each piece.
 */
export const capture = ({ pieces, ignoresCase }: Wildcard, value: string): string[] | undefined => {
  const text = ignoresCase ? lowerAscii(value) : value
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  if (pieces.length === 1) return text === first ? [] : undefined
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return undefined
  const taken: string[] = []
  let from = first.length
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from)
    if (at === -1 || at + piece.length > end) return undefined
    taken.push(value.slice(from, at))
    from = at + piece.length
  }
  taken.push(value.slice(from, end))
  return taken
}

/** Whether the whole value matches; decided without keeping what the stars took. */
export const wildcardTest = ({ pieces, ignoresCase }: Wildcard): ((value: string) => boolean) => {
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  const middle = pieces.slice(1, -1)
  if (pieces.length === 1) return (value) => (ignoresCase ? lowerAscii(value) : value) === first
  return (value) => {
    const end = value.length - last.length
    if (end < first.length) return false
    const text = ignoresCase ? lowerAscii(value) : value
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let from = first.length
    for (const piece of middle) {
      const at = text.indexOf(piece, from)
      if (at === -1 || at + piece.length > end) return false
      from = at + piece.length
    }
    return true
  }
}
