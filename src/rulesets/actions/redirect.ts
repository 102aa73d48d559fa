/** Sends the client elsewhere. */
import { toBytes } from '../request.ts'
import { checked, filled, flag, object, oneOf, optional, required, text } from '../shape.ts'
import { defineAction, isHeaderValue, type Redirect, type RuleContext, type Turn } from './action.ts'

type Target = { value?: string; expression?: string }
export type RedirectParameters = {
  from_value?: { target_url: Target; status_code?: number; preserve_query_string: boolean }
  from_list?: { name: string; key: string }
}

const address = text({
  min: 1,
  max: 8192,
  like: { pattern: /^(https?:\/\/[^\s/?#]|\/)[^\0-\x20]*$/i, says: 'it is neither an http(s) address nor a path' },
})

const parameters = (context: RuleContext) =>
  checked(
    object(
      {
        from_value: optional(
          object({
            target_url: required(
              object(
                { value: optional(address), expression: optional(context.expression('string')) },
                { exactlyOneOf: ['value', 'expression'] },
              ),
            ),
            status_code: optional(oneOf(301, 302, 303, 307, 308)),
            preserve_query_string: filled(flag, false),
          }),
        ),
        from_list: optional(
          object({
            name: required(text({ like: { pattern: /^[a-zA-Z0-9_]+$/, says: 'it is not the name of a list' } })),
            key: required(context.expression('string')),
          }),
        ),
      },
      { exactlyOneOf: ['from_value', 'from_list'] },
    ),
    (redirect: RedirectParameters, place) => {
      const bulk = context.phase.name === 'http_request_redirect'
      if (bulk && redirect.from_value) place.at('from_value').say('bulk redirects take their targets from a list')
      if (!bulk && redirect.from_list) place.at('from_list').say('only bulk redirects take their targets from a list')
    },
  )

const requestQuery = 'http.request.uri.query'

export const redirect = defineAction<'redirect', RedirectParameters>({
  name: 'redirect',
  says: 'Answers with a redirect to a fixed or computed address, or to the target that a list holds for an address.',
  terminating: true,
  parameters,
  examples: [
    {
      from_value: {
        target_url: { expression: 'concat("https://", http.host, http.request.uri.path)' },
        status_code: 301,
        preserve_query_string: true,
      },
    },
    { from_list: { name: 'moved', key: 'http.request.full_uri' } },
  ],
  expressions: ({ from_value: fixed, from_list: list }) =>
    [list?.key, fixed?.target_url.expression, requestQuery].filter((text) => text !== undefined),
  act({ from_value: fixed, from_list: list }, turn) {
    if (list) {
      const key = turn.value(list.key)
      const found = key === undefined ? undefined : turn.redirectFrom(list.name, key)
      return answer(found && { ...found, target_url: toBytes(found.target_url) }, turn)
    }
    const { value, expression } = fixed?.target_url ?? {}
    const target = expression === undefined ? value && toBytes(value) : turn.value(expression)
    return target === undefined ? undefined : answer({ ...fixed, target_url: target }, turn)
  },
})

function answer(redirect: Redirect | undefined, turn: Turn) {
  if (!redirect || redirect.target_url === '' || !isHeaderValue(redirect.target_url)) return undefined
  const target = redirect.preserve_query_string ? withQuery(redirect.target_url, turn) : redirect.target_url
  const headers = { location: inAscii(target) }
  return { kind: 'redirect' as const, status: redirect.status_code ?? 302, headers, body: '' }
}

/** A header holds ASCII: every other byte of the address in its percent form. */
const inAscii = (bytes: string): string =>
  bytes.replaceAll(/[^\x21-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** The query of the request takes the place of the target's own; a fragment stays last. */
function withQuery(target: string, turn: Turn): string {
  const query = turn.value(requestQuery)
  if (!query) return target
  const [beforeFragment = '', fragment] = target.split('#', 2)
  const [base = ''] = beforeFragment.split('?', 1)
  return `${base}?${query}${fragment === undefined ? '' : `#${fragment}`}`
}
