/** Colours for the rules language. It only colours; what is right and wrong the API says. */
import type { ReactNode } from 'react'

const token =
  /(?<string>r?"(?:[^"\\]|\\.)*"?|r(?<fence>#+)"[\s\S]*?"\k<fence>)|(?<list>\$[\w.]+)|(?<ip>\b\d{1,3}(?:\.\d{1,3}){3}(?:\/\d+)?|\b[0-9a-f]{0,4}::?[0-9a-f:]+(?:\/\d+)?)|(?<number>\b\d+\b)|(?<name>[A-Za-z_][\w.]*)|(?<mark>[=!<>~&|^]+)|(?<space>\s+)|(?<other>[\s\S])/giy

const words = new Set(
  'and or not xor eq ne lt le gt ge in contains matches wildcard strict bitwise_and true false any all'.split(' '),
)

export type Token = { readonly text: string; readonly kind: string; readonly at: number }

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(token)) {
    const [kind] = Object.entries(match.groups ?? {}).find(
      ([name, value]) => value !== undefined && name !== 'fence',
    ) ?? ['other']
    tokens.push({
      text: match[0],
      kind: kind === 'name' ? kindOfName(match[0], text, match.index) : kind,
      at: match.index,
    })
  }
  return tokens
}

function kindOfName(name: string, text: string, at: number): string {
  if (words.has(name.toLowerCase())) return 'word'
  return /^\s*\(/.test(text.slice(at + name.length)) ? 'function' : 'field'
}

/** Characters of the text that a fault is about. */
export type Span = { readonly from: number; readonly to: number }

export function Highlighted({ text, fault }: { readonly text: string; readonly fault?: Span | undefined }): ReactNode {
  return tokensOf(text).map(({ text: part, kind, at }) => {
    const isFaulty = fault !== undefined && at < fault.to && at + part.length > fault.from
    return (
      <span key={at} className={`token-${kind}${isFaulty ? ' token-fault' : ''}`}>
        {part}
      </span>
    )
  })
}
