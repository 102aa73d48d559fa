/** Changes the address or the headers of a request, or the headers of an answer. */

import type { HeaderChange } from '../passage.ts'
import { checked, flag, mapOf, object, oneOf, optional, type Place, required, text } from '../shape.ts'
import { defineAction, isHeaderValue, type RuleContext, type Turn } from './action.ts'

type Source = { value?: string; expression?: string }
type HeaderRewrite = Source & { operation: 'set' | 'add' | 'remove' }
export type RewriteParameters = {
  uri?: { path?: Source; query?: Source; origin?: boolean }
  headers?: Record<string, HeaderRewrite>
}

const headerName = text({ like: { pattern: /^[A-Za-z0-9_-]+$/, says: 'it is not a header name' } })
const headerValue = text({ like: { pattern: /^[^\0\r\n]*$/, says: 'it contains a line break' } })
const exactlyOneSource = { exactlyOneOf: ['value', 'expression'] }

const parameters = (context: RuleContext) => {
  const expression = optional(context.expression('string'))
  const uri = object(
    {
      path: optional(
        object({ value: optional(checked(text({ min: 1, max: 4096 }), judgePath)), expression }, exactlyOneSource),
      ),
      query: optional(object({ value: optional(text({ max: 4096 })), expression }, exactlyOneSource)),
      origin: optional(flag),
    },
    { someOf: ['path', 'query'] },
  )
  const header = checked(
    object({ operation: required(oneOf('set', 'add', 'remove')), value: optional(headerValue), expression }),
    judgeHeader,
  )
  return checked(
    object(
      { uri: optional(uri), headers: optional(mapOf(headerName, header, { min: 1 })) },
      { someOf: ['uri', 'headers'] },
    ),
    (rewrite: RewriteParameters, place) => judgeWhere(context, rewrite, place),
  )
}

function judgePath(path: string, place: Place): void {
  if (!path.startsWith('/')) place.refuse(path, 'a path begins with a slash')
}

function judgeHeader({ operation, value, expression }: HeaderRewrite, place: Place): void {
  const sources = [value, expression].filter((source) => source !== undefined).length
  if (operation === 'remove' && sources > 0) place.say('a header that is removed has neither value nor expression')
  if (operation !== 'remove' && sources !== 1) place.say(`${operation} needs exactly one of value, expression`)
}

const uriPhases = ['http_request_transform', 'http_request_sanitize']
// Set by the edge about the visitor; a rule that could write them could forge a visitor.
const visitorHeaders = ['cookie', 'cf-connecting-ip', 'true-client-ip', 'x-real-ip']

function judgeWhere({ phase }: RuleContext, { uri, headers }: RewriteParameters, place: Place): void {
  const isUriPhase = uriPhases.includes(phase.name)
  if (uri && !isUriPhase) place.at('uri').say(`the phase ${phase.name} rewrites headers, not the uri`)
  if (headers && isUriPhase) place.at('headers').say(`the phase ${phase.name} rewrites the uri, not headers`)
  if (phase.stage !== 'request') return
  for (const [name, { operation }] of Object.entries(headers ?? {})) {
    const lower = name.toLowerCase()
    if (visitorHeaders.includes(lower)) {
      if (operation !== 'remove') place.at('headers').at(name).refuse(name, 'this header can only be removed')
    } else if (lower.startsWith('cf-') || lower.startsWith('x-cf-'))
      place.at('headers').at(name).refuse(name, 'headers that begin with cf- or x-cf- cannot be changed')
  }
}

export const rewrite = defineAction<'rewrite', RewriteParameters>({
  name: 'rewrite',
  says: 'Changes path and query, or sets, adds and removes headers, by a fixed value or an expression.',
  terminating: false,
  parameters,
  examples: [
    { uri: { path: { value: '/new' }, query: { expression: 'http.request.uri.query' } } },
    { headers: { 'X-Source': { operation: 'set', value: 'edge' }, 'X-Old': { operation: 'remove' } } },
  ],
  expressions: ({ uri, headers = {} }) =>
    [uri?.path, uri?.query, ...Object.values(headers)].flatMap((source) => source?.expression ?? []),
  act({ uri, headers }, turn) {
    const path = uri?.path && sourceValue(uri.path, turn)
    const query = uri?.query && sourceValue(uri.query, turn)
    if (path?.startsWith('/')) turn.passage.path = path
    if (query !== undefined) turn.passage.query = query.replace(/^\?/, '')
    const changes = turn.phase.stage === 'response' ? turn.passage.responseHeaders : turn.passage.requestHeaders
    for (const [name, change] of Object.entries(headers ?? {})) changes.push(...headerChange(name, change, turn))
    return undefined
  },
})

const sourceValue = ({ value, expression }: Source, turn: Turn): string | undefined =>
  expression === undefined ? value : turn.value(expression)

/** A header whose expression rests on something missing, or would break the line, is left as it was. */
function headerChange(name: string, { operation, ...source }: HeaderRewrite, turn: Turn): HeaderChange[] {
  if (operation === 'remove') return [{ name, operation }]
  const value = sourceValue(source, turn)
  return value !== undefined && isHeaderValue(value) ? [{ name, operation, value }] : []
}
