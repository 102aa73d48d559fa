/** What rules have done to one request so far: the changes that later phases, the origin and the client will see. */

export type HeaderChange = {
  readonly name: string
  readonly operation: 'set' | 'add' | 'remove'
  readonly value?: string
}

/** An answer that a rule gives in the origin's place. */
export type Answer = {
  readonly kind: 'block' | 'challenge' | 'redirect' | 'error' | 'close'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Passage = {
  /** Path and query after rewrites; absent while no rule rewrote them. */
  path?: string
  query?: string
  readonly requestHeaders: HeaderChange[]
  readonly responseHeaders: HeaderChange[]
  /** Where the request goes: later rules win member by member. */
  readonly origin: Record<string, unknown>
  readonly settings: Record<string, unknown>
  readonly cache: Record<string, unknown>
  readonly cacheControl: Record<string, unknown>
  readonly cacheTags: { operation: string; tags: readonly string[] }[]
  compression?: readonly string[]
  /** Headers and cookies whose values belong into the log record, by parameter name. */
  readonly logFields: Record<string, unknown[]>
}

export const newPassage = (): Passage => ({
  requestHeaders: [],
  responseHeaders: [],
  origin: {},
  settings: {},
  cache: {},
  cacheControl: {},
  cacheTags: [],
  logFields: {},
})
