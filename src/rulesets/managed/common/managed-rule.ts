/** How a rule of the starter set is written: what it looks for, and requests that show where its border runs. */

/** A request by its path and query, or with a method, headers and a body. */
export type Sample =
  | string
  | {
      readonly url?: string
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }

export type ManagedRule = {
  /** Stays the same over all versions; the rule's id is made from it. */
  readonly ref: string
  readonly says: string
  readonly tags: readonly string[]
  /** Either acts by itself, or adds points that the last rule of the set sums up. */
  readonly does: 'block' | 'log' | 'managed_challenge' | { readonly score: number }
  /** Off unless an override switches it on: useful, but known to hit honest traffic of some sites. */
  readonly off?: true
  readonly expression: string
  readonly matches: readonly [Sample, Sample, ...Sample[]]
  readonly passes: readonly [Sample, Sample, ...Sample[]]
}

// Decoded until nothing changes and in lower case, so that an attacker's spelling does not matter.
const query = 'lower(url_decode(http.request.uri.query, "r"))'
const body = 'lower(url_decode(http.request.body.raw, "r"))'
const path = 'lower(url_decode(http.request.uri.path, "r"))'
const headers = 'lower(http.request.headers.values[*])[*]'

const matching = (value: string, pattern: string): string => `${value} matches r#"${pattern}"#`

export const inPath = (pattern: string): string => matching(path, pattern)
/** As it was told: rules see the path without steps up and doubled slashes. */
export const inPathAsTold = (pattern: string): string => matching(path.replace('http.', 'raw.http.'), pattern)
export const inQuery = (pattern: string): string => matching(query, pattern)
export const inBody = (pattern: string): string => matching(body, pattern)
export const inHeaders = (pattern: string): string => `any(${matching(headers, pattern)})`
export const inQueryOrBody = (pattern: string): string => `${inQuery(pattern)} or ${inBody(pattern)}`
export const inAddressOrBody = (pattern: string): string => `${inPath(pattern)} or ${inQueryOrBody(pattern)}`
export const anywhere = (pattern: string): string => `${inAddressOrBody(pattern)} or ${inHeaders(pattern)}`

export const form = (body: string, url = '/form'): Sample => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

export const json = (body: string, url = '/api'): Sample => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})
