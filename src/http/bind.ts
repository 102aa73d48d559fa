/**
 * Binds an operation of the contract to the function that does it: on every path it has, behind credentials, permission,
 * rate limit and validation, in that order, with its answer in the envelope.
 */
import { type IncomingHttpHeaders, type IncomingMessage, METHODS } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AccessNeeds, type Caller, findScope, may, type Paged } from '../access/index.ts'
import { type Clock, isId, type Metrics, Problem, problems, type Scope } from '../base/index.ts'
import { type BodyOf, type Operation, type ParamsOf, pathsOf, type QueryOf, type ResultOf } from '../contract/index.ts'
import { addressOf, callerOf, refuseUnclear } from './caller.ts'
import { type Dialect, dialectOf, fromDialect, toDialect } from './dialect.ts'
import { rememberFor } from './edge/admission.ts'
import { pathOf } from './problems.ts'
import type { Allowance } from './ratelimit.ts'
import { type Check, checkBody, checkText } from './validate.ts'

/** The base addresses everything answers under: our own, and the one that existing clients are built with. */
export const bases = ['/v4', '/client/v4'] as const

export type BindNeeds = {
  readonly app: FastifyInstance
  readonly access: AccessNeeds
  readonly metrics: Metrics
  readonly now: Clock
  readonly allow: (user: string) => Allowance
}

export type Asked<O extends Operation> = {
  readonly scope: O['place'] extends 'none' ? null : Scope
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  readonly body: O['stream'] extends 'in' ? Readable : O['mirrors'] extends true ? Readable | undefined : BodyOf<O>
  readonly headers: IncomingHttpHeaders
  /** Aborted when the client goes away before the answer is complete. */
  readonly signal: AbortSignal
  /** The query as it was written, without its question mark. */
  readonly rawQuery: string
  /** The request as it came in, and the address it came from: for what mirrors. */
  readonly raw: IncomingMessage
  readonly peer: string
  /** How the caller spells things. */
  readonly dialect: Dialect
  /** `/v4` or `/client/v4`. */
  readonly base: string
  /** The address the caller used for us, such as `http://127.0.0.1:8787`. */
  readonly origin: string
  reply: { header(name: string, value: string): void; status(code: number): void }
}

/** One page of a list that is read by cursor; no `cursor` on the last. */
export type CursorPage<T> = {
  readonly items: readonly T[]
  readonly cursor?: string | undefined
  readonly perPage?: number
}

/** Bytes or text in place of the envelope. */
export type Raw = { readonly type: string; readonly body: Readable | string | Buffer }

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && 'type' in value && 'body' in value

type Item<O extends Operation> = ResultOf<O> extends readonly (infer T)[] ? T : never

export type Handled<O extends Operation> = O['stream'] extends 'out'
  ? Raw
  : O['pages'] extends 'numbered'
    ? Paged<Item<O>> | Raw
    : O['pages'] extends 'cursor'
      ? CursorPage<Item<O>>
      : ResultOf<O>

export type Bind = <const O extends Operation>(
  operation: O,
  handle: (asked: Asked<O>, caller: Caller) => Promise<Handled<O>> | Handled<O>,
) => void

declare const known: unique symbol
/** What the first hook found out about a request, for the handler; kept off Fastify's own objects. */
export type Known = { readonly caller: Caller; readonly scope: Scope | null; readonly [known]?: never }

export function makeBind(needs: BindNeeds): { bind: Bind; bound: readonly Operation[] } {
  const bound: Operation[] = []
  const findings = new WeakMap<FastifyRequest, Known>()

  const bind: Bind = (operation, handle) => {
    bound.push(operation)
    const checks = {
      params: operation.params && checkText(operation.params),
      query: operation.query && checkText(operation.query),
      body: operation.body && operation.stream !== 'in' ? checkBody(operation.body) : undefined,
    }

    const admitted = operation.mirrors ? rememberFor(needs, admit) : admit
    for (const base of bases) {
      for (const path of urlsOf(operation)) {
        routesOf(needs.app, operation, (app) =>
          app.route({
            method: operation.mirrors ? mirrored(app) : operation.method,
            url: base + path.replaceAll(/\{(\w+)\}/g, ':$1'),
            config: { operation: operation.id, isFrequent: operation.mirrors === true },
            ...(operation.bodyLimit === undefined ? {} : { bodyLimit: operation.bodyLimit }),
            onRequest: async (request, reply) => {
              refuseUnclear(request, operation)
              findings.set(request, await admitted(needs, operation, request, reply))
            },
            handler: async (request, reply) => {
              const found = findings.get(request)
              if (!found) throw new Error(`${operation.id} was reached without credentials`)
              checkPath(checks.params, request)
              checks.query?.(request.query)
              const dialect = dialectOf(request.originalUrl)
              const body =
                operation.stream === 'in' ? (request.body ?? Readable.from([])) : fromDialect(dialect, request.body)
              checks.body?.(body)
              const asked = ask(request, reply, { scope: found.scope, base, dialect, body })
              const result = await handle(asked as Asked<typeof operation>, found.caller)
              return send(operation, reply, result, dialect)
            },
          }),
        )
      }
    }
  }
  return { bind, bound }
}

const urlsOf = (operation: Operation): readonly string[] =>
  pathsOf(operation).flatMap((path) => (operation.mirrors ? [path, `${path}/*`] : [path]))

/** Every method that a visitor may use, WebDAV's too. CONNECT never reaches a handler. */
function mirrored(app: FastifyInstance): string[] {
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  return methods
}

/** A body that is a stream is handed on whatever its type; all others are JSON. */
function routesOf(app: FastifyInstance, operation: Operation, add: (app: FastifyInstance) => void): void {
  if (operation.stream === 'in' || operation.mirrors) {
    app.register(async (inner) => {
      inner.removeAllContentTypeParsers()
      inner.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
      add(inner)
    })
  } else add(app)
}

export type Admit = typeof admit

/** Credentials, scope, permission, rate: before a byte of the body is read. */
async function admit(
  { access, metrics, allow }: BindNeeds,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Known> {
  const caller = await callerOf(access, request).catch((error) => {
    // Asked whether a token is good, "no" is the answer; it is not a lack of right to ask.
    const isAnswer = operation.id === 'verifyToken' && error instanceof Problem && error.details[0].code === 9109
    throw isAnswer ? problems.tokenNotVerified() : error
  })
  if (operation.rateLimited !== false) limitRate(allow(caller.user.id), reply, metrics)
  const scope = operation.place === 'none' ? null : await scopeOf(access, caller, request)
  if (!isAllowed(operation, caller, scope)) throw problems.notPermitted()
  return { caller, scope }
}

function isAllowed({ allowed, only, inAccount }: Operation, caller: Caller, scope: Scope | null): boolean {
  if (only === 'super' && !caller.isSuper) return false
  if (only === 'key' && caller.credential.type !== 'key') return false
  if (allowed === 'anyone' || allowed === 'open') return true
  // The account that a body names is looked at by who reads the body.
  if (!scope) return inAccount === true
  return may(caller, allowed, inAccount ? { kind: 'account', id: scope.account, account: scope.account } : scope)
}

async function scopeOf(access: AccessNeeds, caller: Caller, request: FastifyRequest): Promise<Scope> {
  const { zone_id: zone, account_id: account } = request.params as { zone_id?: string; account_id?: string }
  const id = zone ?? account ?? ''
  if (!isId(id)) throw problems.noRoute(pathOf(request.url))
  return findScope(access, caller, zone === undefined ? 'account' : 'zone', id)
}

function limitRate(allowance: Allowance, reply: FastifyReply, metrics: Metrics): void {
  const { limit, remaining, resetSeconds } = allowance
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`)
  reply.header('ratelimit-policy', `"default";q=${limit};w=300`)
  if (allowance.allowed) return
  metrics.rateLimited.inc()
  throw problems.rateLimited(limit, 300, resetSeconds)
}

/** A parameter that cannot be right names nothing: the answer is the router's. */
function checkPath(check: Check | undefined, request: FastifyRequest): void {
  const texts = { ...(request.params as Record<string, string>) }
  try {
    check?.(request.params)
  } catch {
    throw problems.noRoute(pathOf(request.originalUrl))
  }
  // A number has one spelling in a path: 01, 0x1, 1e0 and digits that a double cannot hold name nothing.
  const isPlain = ([name, value]: [string, unknown]) => String(value) === texts[name]
  if (!Object.entries(request.params as object).every(isPlain)) throw problems.noRoute(pathOf(request.originalUrl))
}

function ask(
  request: FastifyRequest,
  reply: FastifyReply,
  found: { readonly scope: Scope | null; readonly base: string; readonly dialect: Dialect; readonly body: unknown },
) {
  const { raw } = reply
  let gone: AbortController | undefined
  return {
    ...found,
    params: request.params,
    query: request.query,
    rawQuery: request.url.split('?').slice(1).join('?'),
    headers: request.headers,
    raw: request.raw,
    peer: addressOf(request),
    /** Made only for those who look at it: most answers are complete before anyone could go away. */
    get signal() {
      if (gone) return gone.signal
      const made = new AbortController()
      gone = made
      const end = () => {
        if (!raw.writableFinished) made.abort()
      }
      if (raw.closed) end()
      else raw.once('close', end)
      return made.signal
    },
    origin: `${request.protocol}://${request.host}`,
    reply: {
      header: (name: string, value: string) => void reply.header(name, value),
      status: (code: number) => void reply.code(code),
    },
  }
}

function send(operation: Operation, reply: FastifyReply, result: unknown, dialect: Dialect): FastifyReply {
  if (isRaw(result) && (operation.stream === 'out' || operation.pages)) return reply.type(result.type).send(result.body)
  if (operation.status) reply.code(operation.status)
  if (operation.status === 204) return reply.send()
  const envelope = { success: true, errors: [], messages: [] }
  if (operation.pages === 'numbered') {
    const { items, info } = result as Paged<unknown>
    return reply.send({ ...envelope, result: toDialect(dialect, items), result_info: info })
  }
  if (operation.pages === 'cursor') {
    const { items, cursor, perPage } = result as CursorPage<unknown>
    const after = cursor === undefined ? {} : { cursor, cursors: { after: cursor } }
    const size = perPage === undefined ? {} : { per_page: perPage }
    return reply.send({ ...envelope, result: items, result_info: { count: items.length, ...size, ...after } })
  }
  return reply.send({ ...envelope, result: toDialect(dialect, result ?? null) })
}
