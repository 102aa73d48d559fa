/** What the tests of real proxies share: rules that do one of each kind of thing, and an origin that says what it was asked. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { lists, rulesets } from '../src/contract/index.ts'
import { commonProtection } from '../src/rulesets/index.ts'
import type { House } from './house.ts'

export async function startOrigin() {
  const server = createServer(async (request, response) => {
    const { url, method, headers } = request
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { 'x-from-rule': rule, 'x-secret': secret, authorization } = headers
    response.end(JSON.stringify({ url, method, rule, secret, authorization, body }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() }
}

/** The staff comes from 192.0.2.0/24, and from 127.0.0.3 where a visitor can only have an address of this machine. */
export async function deployRules({ client, zoneScope: scope, accountScope }: House): Promise<void> {
  const office = await client.call(lists.createList, { scope: accountScope, body: { name: 'office', kind: 'ip' } })
  const params = { list_id: office.id }
  const body = [{ ip: '192.0.2.0/24' }, { ip: '127.0.0.3' }]
  await client.call(lists.addItems, { scope: accountScope, params, body })
  const put = (phase: string, rules: object[]) =>
    client.call(rulesets.updateEntryPoint, { scope, params: { phase }, body: { rules } })
  await put('http_request_firewall_custom', [
    {
      action: 'block',
      description: 'Staff only',
      expression: 'starts_with(http.request.uri.path, "/admin") and not ip.src in $office',
      action_parameters: {
        response: { status_code: 451, content: '{"why":"staff only"}', content_type: 'application/json' },
      },
    },
    { action: 'block', expression: 'http.request.body.raw contains "attack"' },
    { action: 'block', expression: 'any(http.request.headers["authorization"][*] == "Bearer stolen")' },
  ])
  const overrides = { categories: [{ category: 'xss', action: 'log' }] }
  await put('http_request_firewall_managed', [
    { action: 'execute', action_parameters: { id: commonProtection.id, overrides }, expression: 'true' },
  ])
  await put('http_request_dynamic_redirect', [
    {
      action: 'redirect',
      expression: 'http.request.uri.path eq "/old"',
      action_parameters: {
        from_value: { target_url: { value: '/new' }, status_code: 308, preserve_query_string: true },
      },
    },
  ])
  await put('http_request_transform', [
    {
      action: 'rewrite',
      expression: 'starts_with(http.request.uri.path, "/v1/")',
      action_parameters: { uri: { path: { expression: 'concat("/v2", substring(http.request.uri.path, 3))' } } },
    },
  ])
  await put('http_request_late_transform', [
    {
      action: 'rewrite',
      expression: 'true',
      action_parameters: {
        headers: { 'X-From-Rule': { operation: 'set', value: 'yes' }, 'X-Secret': { operation: 'remove' } },
      },
    },
  ])
  await put('http_ratelimit', [
    {
      action: 'block',
      expression: 'http.request.uri.path eq "/limited"',
      ratelimit: { characteristics: ['ip.src', 'cf.colo.id'], period: 60, requests_per_period: 1 },
    },
  ])
}
