/** Gives every refusal its status and its envelope. Anything that is not a refusal is our bug: 500, and no internals. */
import type { FastifyError } from 'fastify'
import { type Detail, Problem, problems, type Refusal } from '../base/index.ts'
import type { Envelope } from '../contract/index.ts'

const statuses: Readonly<Record<Refusal, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  method: 405,
  timeout: 408,
  changed: 412,
  tooLarge: 413,
  mediaType: 415,
  misdirected: 421,
  tooMany: 429,
  unavailable: 503,
}

export const statusOf = (problem: Problem): number => statuses[problem.refusal]

export const refusal = (details: readonly Detail[]): Envelope<null> => ({
  success: false,
  errors: details.map(({ code, message, pointer }) => ({
    code,
    message,
    ...(pointer === undefined ? {} : { source: { pointer } }),
  })),
  messages: [],
  result: null,
})

/** The problem behind an error of the framework, or undefined when it is none of the caller's doing. */
export function asProblem(
  error: unknown,
  request: { readonly method: string; readonly url: string },
): Problem | undefined {
  if (error instanceof Problem) return error
  const { code, statusCode, message } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return problems.bodyTooLarge(Number((error as { limit?: number }).limit ?? 0) || 'allowed')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return problems.wrongMediaType(String((error as Error).message.match(/: (.*)$/)?.[1] ?? ''), 'application/json')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_ASYNC_CONSTRAINT':
      return problems.noRoute(pathOf(request.url))
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return problems.malformedRequest('the body is not as long as Content-Length says')
    default:
      return statusCode !== undefined && statusCode >= 400 && statusCode < 500
        ? problems.malformedRequest(message ?? 'bad request')
        : undefined
  }
}

/**
 * The path of a URL for a message: without a secret, which a query or the id of a session is, not longer than helps, and
 * in printable characters only, because a terminal obeys others.
 */
export const pathOf = (url: string): string => {
  const path = (url.split('?', 1)[0] ?? '').replace(/^(\/instant-logs\/ws\/sessions\/).+/, '$1****')
  const printable = path.slice(0, 200).replaceAll(/[^\x21-\x7e]/g, (char) => encodeURIComponent(char.toWellFormed()))
  return path.length > 200 ? `${printable}…` : printable
}
