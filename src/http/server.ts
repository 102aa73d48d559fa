/** The HTTP server: limits, request ids, error envelopes, health, metrics and the contract's routes. */
import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Clock, type Log, problems, type Shares } from '../base/index.ts'
import { type Operation, openapi } from '../contract/index.ts'
import { makeTails } from '../logs/index.ts'
import { bases, makeBind } from './bind.ts'
import { answerBrokenRequest, answerExpectation, readJsonStrictly } from './body.ts'
import { bindConsole } from './console.ts'
import { detailsIn, dialectOf, rewriteUrl } from './dialect.ts'
import { bindDocs } from './docs.ts'
import { asProblem, pathOf, refusal, statusOf } from './problems.ts'
import { makeRateLimiter, type RateLimit } from './ratelimit.ts'
import { keepToRoles } from './roles.ts'
import { bindAll, type RouteNeeds } from './routes/index.ts'
import { isTailRequest, serveTails } from './tail.ts'

export type HttpNeeds = RouteNeeds & {
  readonly log: Log
  readonly now: Clock
  /** `api`, `ingest`, `export`: what this process does. */
  readonly roles: readonly string[]
  readonly rateLimit: RateLimit
  /** Where several processes answer. */
  readonly shares?: Shares | undefined
  readonly version: string
  /** How long a request may take to arrive whole. */
  readonly requestSeconds: number
  /** Jobs that are most behind; a service is ready all the same. */
  readonly behind: () => readonly { readonly job: number; readonly seconds: number }[]
  /** Names what is not ready, or nothing when all is. */
  readonly readiness: () => Promise<Readonly<Record<string, string | undefined>>>
}

type RouteConfig = { readonly operation?: string; readonly isFrequent?: boolean }

/** Holds a ruleset of a thousand rules with the longest expressions the language allows. */
const usualBodyLimit = 4 * 1024 * 1024

export function makeServer(needs: HttpNeeds): { app: FastifyInstance; bound: readonly Operation[] } {
  const { log, metrics } = needs
  const app = fastify({
    bodyLimit: usualBodyLimit,
    requestTimeout: needs.requestSeconds * 1000,
    connectionTimeout: 0,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 4096, ignoreTrailingSlash: true },
    rewriteUrl: (request) => rewriteUrl(request.url ?? '/'),
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply as unknown as FastifyReply),
    clientErrorHandler: answerBrokenRequest,
    // While closing, requests on open connections are still answered, in the envelope, and each ends its connection.
    return503OnClosing: false,
    // Node would answer these two by itself, with no envelope and no request id.
    http: {
      requireHostHeader: false,
      shouldUpgradeCallback: isTailRequest,
      connectionsCheckingInterval: Math.min(5_000, needs.requestSeconds * 250),
    },
  })
  app.server.on('checkExpectation', answerExpectation)
  app.server.headersTimeout = Math.min(20_000, needs.requestSeconds * 1000)
  // Their size bounds them; past a count Node would drop the rest unseen, a second Host or Authorization among them.
  app.server.maxHeadersCount = 0

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = asProblem(error, request)
    const where = { request: request.id, path: pathOf(request.url) }
    reply.header('x-request-id', request.id)
    if (problem) {
      // Whoever asked hears that it may pass; why it does not, only the operator can mend.
      if (problem.cause !== undefined) log.warn({ err: problem.cause, ...where }, 'told to try again')
      if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
      const details = detailsIn(dialectOf(request.originalUrl), problem.details)
      return reply.code(statusOf(problem)).send(refusal(details))
    }
    log.error({ err: error, ...where }, 'unexpected error')
    const message = `Internal error; the log has more under request id ${request.id}`
    return reply.code(500).send(refusal([{ code: 10500, message }]))
  }

  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const others = methodsAt(pathOf(request.url))
    const problem =
      others.length > 0 ? problems.methodNotAllowed(request.method, others) : problems.noRoute(pathOf(request.url))
    if (others.length > 0) reply.header('allow', others.join(', '))
    return answerError(problem, request, reply)
  })

  readJsonStrictly(app)
  app.addHook('onRequest', async (request, reply) => {
    metrics.requestsInFlight.inc()
    // Not onResponse, which a request that breaks off never reaches.
    reply.raw.once('close', () => metrics.requestsInFlight.dec())
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    // Answers hold what one caller may see, keys that are shown once among them. What an edge is told has its own rules.
    if (!(request.routeOptions.config as RouteConfig).isFrequent) reply.header('cache-control', 'no-store')
  })
  keepToRoles(app, needs.roles)
  app.addHook('onResponse', async (request, reply) => {
    const { operation = 'none', isFrequent } = request.routeOptions.config as RouteConfig
    metrics.requests.inc({ operation, status: String(reply.statusCode) })
    metrics.requestSeconds.observe({ operation }, reply.elapsedTime / 1000)
    // A line for each decision of an edge would cost more than the decision.
    if (isFrequent && !log.isLevelEnabled('debug')) return
    log[isFrequent ? 'debug' : 'info'](
      {
        request: request.id,
        method: request.method,
        path: pathOf(request.url),
        operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
  })

  const patterns: { method: string; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(
      `^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+')}/?$`,
    )
    for (const one of [method].flat()) patterns.push({ method: one, pattern })
  })
  const methodsAt = (path: string): string[] => [
    ...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ]

  const { bind, bound } = makeBind({
    app,
    access: needs.access,
    metrics,
    now: needs.now,
    allow: makeRateLimiter(needs.rateLimit, needs.now, needs.shares),
  })
  const tails = makeTails(needs.logs)
  serveTails(app, tails)
  bindAll(bind, { ...needs, tails })
  bindUnscoped(app, needs, bound)
  bindConsole(app)
  bindDocs(app, () => bound, needs.version)
  return { app, bound }
}

/** What needs no credentials: the document, health and metrics. */
function bindUnscoped(
  app: FastifyInstance,
  { metrics, readiness, behind, version }: HttpNeeds,
  bound: readonly Operation[],
): void {
  let document: string | undefined
  for (const base of bases) {
    app.get(`${base}/openapi.json`, async (_, reply) => {
      document ??= JSON.stringify(openapi(bound, version))
      return reply.type('application/json').send(document)
    })
  }
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_, reply) => {
    const waiting = await readiness()
    const ready = Object.keys(waiting).length === 0
    const late = behind()
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'not ready',
      ...(ready ? {} : { waiting }),
      ...(late.length > 0 ? { behind: late } : {}),
    })
  })
  app.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}
