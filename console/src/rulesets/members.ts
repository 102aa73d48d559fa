/** Reading and writing single members of JSON that a person may have written otherwise; what is not touched stays. */
export type Members = Readonly<Record<string, unknown>>

export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** The same with one member set, or without it when there is nothing to say. */
export function withMember(members: Members, name: string, value: unknown): Members {
  if (value !== undefined) return { ...members, [name]: value }
  const { [name]: _, ...rest } = members
  return rest
}

/** A number where the text is one; other text stays, so that the API can say what is wrong with it. */
export const numberOr = (text: string): unknown => {
  if (text.trim() === '') return undefined
  return Number.isFinite(Number(text)) ? Number(text) : text
}

/** Words between commas or line breaks. */
export const wordsIn = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean)
