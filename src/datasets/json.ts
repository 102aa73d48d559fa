/** Parsed JSON whose shape nobody has judged yet. */

/** A pointer to a member of what another pointer leads to (RFC 6901). */
export const pointTo = (pointer: string, key: string): string =>
  `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
