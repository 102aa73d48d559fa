/**
 * The operation table's one shape. From an operation come its routes in every scope, its validation, its page in the
 * OpenAPI document, its method in the client and its authorisation: nothing about an endpoint is said anywhere else.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Permission } from '../base/index.ts'

/** Where an operation lives: under both scopes, one of them, or beside them. */
export type Place = 'both' | 'zone' | 'account' | 'none'

/** `anyone` with valid credentials may call it; `open` needs none. */
export type Allowed = Permission | 'anyone' | 'open'

export type Operation = {
  readonly id: string
  readonly summary: string
  readonly tag: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly place: Place
  /** Below the scope, with `{name}` for parameters. */
  readonly path: string
  readonly allowed: Allowed
  /** Who alone may call it, whatever they hold besides: super administrators, or users by their own key and no token. */
  readonly only?: 'super' | 'key'
  /** The permission must hold in the whole account: the one above the zone or, beside the scopes, the one that the body names. */
  readonly inAccount?: true
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  readonly result?: TSchema
  /** The status of success, 200 unless said; 204 has no body. */
  readonly status?: 200 | 201 | 204
  /** How a list is cut: in numbered pages, or by a cursor; absent for all else. */
  readonly pages?: 'numbered' | 'cursor'
  /** `in`: the body is handed on as bytes. `out`: the answer is bytes or text, not the envelope. */
  readonly stream?: 'in' | 'out'
  /** Largest body in bytes when it is not the usual one. */
  readonly bodyLimit?: number
  /** False for what has a limit of its own. */
  readonly rateLimited?: false
  /** Answers every method, on its path and on all below it: an edge sends the visitor's own request line here. */
  readonly mirrors?: true
}

/** Checks an entry of the table and keeps its exact type, from which arguments and results are inferred. */
export const operation = <const O extends Operation>(entry: O): O => entry

export type ParamsOf<O extends Operation> = O['params'] extends TObject ? Static<O['params']> : Record<never, never>
export type QueryOf<O extends Operation> = O['query'] extends TObject ? Static<O['query']> : Record<never, never>
export type BodyOf<O extends Operation> = O['body'] extends TSchema ? Static<O['body']> : undefined
export type ResultOf<O extends Operation> = O['result'] extends TSchema ? Static<O['result']> : null

const prefixes = {
  both: ['/zones/{zone_id}', '/accounts/{account_id}'],
  zone: ['/zones/{zone_id}'],
  account: ['/accounts/{account_id}'],
  none: [''],
} as const

/** Every path an operation answers on, the zone's first. */
export const pathsOf = (operation: Pick<Operation, 'place' | 'path'>): readonly string[] =>
  prefixes[operation.place].map((prefix) => `${prefix}${operation.path}`)

export type ScopeRef = { readonly zone: string } | { readonly account: string }

/** The path of one call: scope and parameters filled in and escaped. */
export function pathFor(operation: Operation, scope: ScopeRef | undefined, params: Record<string, unknown>): string {
  const values: Record<string, unknown> = { ...params }
  if (scope && 'zone' in scope) values.zone_id = scope.zone
  if (scope && 'account' in scope) values.account_id = scope.account
  const wanted = scope && 'account' in scope ? '{account_id}' : '{zone_id}'
  const template = pathsOf(operation).find((path) => operation.place === 'none' || path.includes(wanted))
  if (!template) throw new Error(`${operation.id} does not exist in this scope`)
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
}
