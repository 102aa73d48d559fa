/** A typed client made from the operation table; the CLI, the console and the tests speak through it. */
import type { Envelope, ErrorItem } from './envelope.ts'
import {
  type BodyOf,
  type Operation,
  type ParamsOf,
  pathFor,
  type QueryOf,
  type ResultOf,
  type ScopeRef,
} from './operation.ts'

export type Credential = { readonly email: string; readonly key: string } | { readonly token: string }

export type ClientSettings = {
  /** Up to and including `/v4`. */
  readonly baseUrl: string
  readonly credential?: Credential | undefined
  /** Who acts, for the audit log. */
  readonly interface?: 'UI' | 'CLI'
  readonly fetch?: typeof fetch
}

type IfAny<T, Field extends string> = keyof T extends never ? Partial<Record<Field, T>> : Record<Field, T>

export type Call<O extends Operation> = { readonly scope?: ScopeRef; readonly signal?: AbortSignal } & IfAny<
  ParamsOf<O>,
  'params'
> & {
    readonly query?: Partial<QueryOf<O>>
    readonly body?: BodyOf<O> | Uint8Array | ReadableStream
    readonly headers?: Record<string, string>
  }

/** An answer that refuses, with the reasons it gave. */
export class Refused extends Error {
  readonly status: number
  readonly errors: readonly ErrorItem[]
  readonly requestId: string | null
  readonly retryAfter: number | undefined

  constructor(status: number, errors: readonly ErrorItem[], requestId: string | null, retryAfter?: number) {
    super(errors.map((error) => error.message).join('; ') || `the service answered ${status}`)
    this.name = 'Refused'
    this.status = status
    this.errors = errors
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

export type Client = ReturnType<typeof makeClient>

export function makeClient(settings: ClientSettings) {
  const send = settings.fetch ?? fetch

  /** The raw answer, for streams; refusals are thrown. */
  async function open<O extends Operation>(operation: O, call: Call<O>): Promise<Response> {
    const url = new URL(settings.baseUrl + pathFor(operation, call.scope, call.params ?? {}))
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const bytes = call.body instanceof Uint8Array || call.body instanceof ReadableStream
    const response = await send(url, {
      method: operation.method,
      headers: {
        ...credentialHeaders(settings.credential),
        ...(settings.interface ? { 'x-spillway-interface': settings.interface } : {}),
        ...(call.body === undefined || bytes ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      redirect: 'error',
      ...(call.body === undefined
        ? {}
        : { body: bytes ? (call.body as Uint8Array<ArrayBuffer>) : JSON.stringify(call.body) }),
      ...(call.body instanceof ReadableStream ? { duplex: 'half' } : {}),
      ...(call.signal ? { signal: call.signal } : {}),
    })
    if (!response.ok) throw await readRefusal(response)
    return response
  }

  /** The whole envelope: the result with its page information. */
  async function ask<O extends Operation>(operation: O, call: Call<O>): Promise<Envelope<ResultOf<O>>> {
    const response = await open(operation, call)
    if (response.status === 204) return { success: true, errors: [], messages: [], result: null as ResultOf<O> }
    return (await response.json()) as Envelope<ResultOf<O>>
  }

  const call = async <O extends Operation>(operation: O, call: Call<O>): Promise<ResultOf<O>> =>
    (await ask(operation, call)).result

  /** All items of a list, page after page. */
  async function* all<O extends Operation>(
    operation: O,
    call: Call<O>,
  ): AsyncGenerator<ResultOf<O> extends (infer T)[] ? T : never> {
    let query: Record<string, unknown> = { ...call.query }
    for (;;) {
      const { result, result_info: info } = await ask(operation, { ...call, query } as Call<O>)
      yield* result as Iterable<never>
      const page = Number(info?.page)
      if (operation.pages === 'cursor' && typeof info?.cursor === 'string' && info.cursor !== '')
        query = { ...query, cursor: info.cursor }
      else if (operation.pages === 'numbered' && page < Number(info?.total_pages)) query = { ...query, page: page + 1 }
      else return
    }
  }

  return { open, ask, call, all }
}

export function credentialHeaders(credential: Credential | undefined): Record<string, string> {
  if (!credential) return {}
  return 'token' in credential
    ? { authorization: `Bearer ${credential.token}` }
    : { 'x-auth-email': credential.email, 'x-auth-key': credential.key }
}

async function readRefusal(response: Response): Promise<Refused> {
  const text = await response.text()
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  let errors: readonly ErrorItem[]
  try {
    errors = (JSON.parse(text) as Envelope).errors
  } catch {
    errors = [{ code: 1000, message: text.slice(0, 500) || `the service answered ${response.status}` }]
  }
  return new Refused(response.status, errors, response.headers.get('x-request-id'), retryAfter)
}
