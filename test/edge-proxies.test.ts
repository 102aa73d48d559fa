/** The examples for Caddy and Envoy as they stand in docs/edge, with the real programs in front of a real origin. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request as ask, type OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { access } from '../src/contract/index.ts'
import { deployRules, startOrigin } from './edge-journey.ts'
import { type House, startHouse } from './house.ts'
import { freePort } from './postgres.ts'
import { type RealProxy, startProxy, wants } from './proxies.ts'

const root = join(import.meta.dirname, '..')
let house: House
let origin: Awaited<ReturnType<typeof startOrigin>>
let token: string

before(async () => {
  house = await startHouse({ environment: { SPILLWAY_TRUSTED_PROXIES: '127.0.0.1/32' } })
  origin = await startOrigin()
  await deployRules(house)
  const made = await house.client.call(access.createToken, {
    scope: house.accountScope,
    body: { name: 'proxy', permissions: ['edge:decide'], zones: [house.zone] },
  })
  token = made.value ?? ''
})
after(async () => {
  origin.stop()
  await house.stop()
})

/** An example with its blanks filled in; `spillway` is where it asks. */
async function example(path: string, spillway = new URL(house.service.url).host): Promise<string> {
  const text = await readFile(join(root, 'docs/edge', path), 'utf8')
  const [, port = ''] = spillway.split(':')
  return text
    .replaceAll('127.0.0.1:8787', spillway)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${origin.port}`)
    .replaceAll('port_value: 8787', `port_value: ${port}`)
    .replaceAll('port_value: 8080', `port_value: ${origin.port}`)
    .replaceAll('ZONE_ID', house.zone)
    .replaceAll('EDGE_TOKEN', token)
}

const programs = {
  caddy: async (port: number, spillway?: string) => ({
    file: 'Caddyfile',
    text: `{
      admin off
      auto_https off
    }
    ${(await example('caddy/Caddyfile', spillway)).replace('www.example.com {', `http://:${port} {`)}`,
    args: ['run', '--config', '{file}', '--adapter', 'caddyfile'],
    port,
  }),
  envoy: async (port: number, spillway?: string) => ({
    file: 'envoy.yaml',
    text: (await example('envoy/envoy.yaml', spillway)).replace(
      'address: 0.0.0.0, port_value: 80 ',
      `address: 127.0.0.1, port_value: ${port} `,
    ),
    args: ['-c', '{file}', '--log-level', 'warn', '--disable-hot-restart', '--concurrency', '1'],
    port,
  }),
}

type Answer = { status: number; headers: OutgoingHttpHeaders; body: string }
type Visit = { method?: string; headers?: object; body?: string; from?: string }

/** From an address of this machine that is no trusted proxy, unless said otherwise. */
const visitAt =
  (port: number) =>
  (path: string, { method = 'GET', headers = {}, body = '', from = '127.0.0.2' }: Visit = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const call = ask(
        { host: '127.0.0.1', port, path, method, localAddress: from, agent: false, headers: { ...headers } },
        async (answer) => {
          let text = ''
          for await (const chunk of answer.setEncoding('utf8')) text += chunk
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text })
        },
      )
      call.once('error', reject).end(body)
    })

for (const name of ['caddy', 'envoy'] as const) {
  describe(name, { concurrency: 1, ...wants(name) }, () => {
    let proxy: RealProxy
    let visit: ReturnType<typeof visitAt>
    before(async () => {
      const port = await freePort()
      proxy = await startProxy(name, await programs[name](port))
      visit = visitAt(port)
    })
    after(() => proxy?.stop())

    test('what no rule stops reaches the origin, with the headers that rules set and without those they remove', async () => {
      const passed = await visit('/fine?x=%C3%BC', {
        method: 'POST',
        body: 'hello',
        headers: { 'x-secret': 'mine', authorization: 'Bearer visitor', 'user-agent': 'x' },
      })
      assert.deepEqual(JSON.parse(passed.body), {
        url: '/fine?x=%C3%BC',
        method: 'POST',
        rule: 'yes',
        authorization: 'Bearer visitor',
        body: 'hello',
        // Caddy takes away only what its configuration names.
        ...(name === 'caddy' ? { secret: 'mine' } : {}),
      })
    })

    test('a blocked request gets the rule’s own page and status, and the staff passes', async () => {
      for (const method of ['GET', 'DELETE']) {
        const { status, headers, body } = await visit('/admin/users', { method, headers: { 'user-agent': 'x' } })
        assert.deepEqual(
          [status, headers['content-type'], body],
          [451, 'application/json; charset=utf-8', '{"why":"staff only"}'],
        )
      }
      assert.equal((await visit('/admin/users', { from: '127.0.0.3', headers: { 'user-agent': 'x' } })).status, 200)
    })

    test('headers that a visitor makes up change nothing', async () => {
      const spoofs = {
        'x-forwarded-uri': '/fine',
        'x-forwarded-method': 'POST',
        'x-forwarded-host': 'other.example',
        'x-forwarded-for': '192.0.2.9',
        'x-real-ip': '192.0.2.9',
        'x-original-url': 'http://x/fine',
        'x-original-uri': '/fine',
        'x-spillway-ray': '0123456789abcdef',
        'x-spillway-uri': '/fine',
        'x-original-authorization': 'Bearer visitor',
        'user-agent': 'x',
      }
      assert.equal((await visit('/admin/users', { headers: spoofs })).status, 451)
    })

    test('a redirect redirects, the shipped rules block, and a limit answers 429', async () => {
      const moved = await visit('/old?a=1', { headers: { 'user-agent': 'x' } })
      assert.deepEqual([moved.status, moved.headers.location], [308, '/new?a=1'])
      assert.equal((await visit('/?id=1+union+select+2', { headers: { 'user-agent': 'x' } })).status, 403)
      const from = name === 'caddy' ? '127.0.0.4' : '127.0.0.5'
      assert.equal((await visit('/limited', { from, headers: { 'user-agent': 'x' } })).status, 200)
      const limited = await visit('/limited', { from, headers: { 'user-agent': 'x' } })
      assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '60'])
    })

    test('what rules rewrite goes on rewritten, and nothing else does', async () => {
      const told = await visit('/fine', { headers: { 'x-spillway-uri': '/other', 'user-agent': 'x' } })
      assert.equal(JSON.parse(told.body).url, '/fine')
      const { body } = await visit('/v1/a?b=c', { headers: { 'user-agent': 'x' } })
      assert.equal(JSON.parse(body).url, '/v2/a?b=c')
    })

    test('rules see the visitor’s own Authorization', async () => {
      const headers = { authorization: 'Bearer stolen', 'user-agent': 'x' }
      assert.equal((await visit('/', { headers })).status, 403)
    })
  })
}

describe('envoy', wants('envoy'), () => {
  test('rules see bodies, and paths as the origin sees them', async () => {
    const port = await freePort()
    const proxy = await startProxy('envoy', await programs.envoy(port))
    const visit = visitAt(port)
    try {
      const attack = { method: 'POST', body: 'an attack', headers: { 'user-agent': 'x' } }
      assert.equal((await visit('/upload', attack)).status, 403)
      for (const path of ['/x/../admin', '/./admin', '//admin', '/%61dmin'])
        assert.equal((await visit(path, { headers: { 'user-agent': 'x' } })).status, 451, path)
    } finally {
      await proxy.stop()
    }
  })

  test('an Envoy whose Spillway is out of reach lets requests pass', async () => {
    const port = await freePort()
    const proxy = await startProxy('envoy', await programs.envoy(port, '127.0.0.1:1'))
    try {
      const { status, body } = await visitAt(port)('/admin?x=1', { headers: { 'x-spillway-uri': '/other' } })
      assert.deepEqual([status, JSON.parse(body).url], [200, '/admin?x=1'])
    } finally {
      await proxy.stop()
    }
  })
})

test('a Caddy whose Spillway is out of reach refuses requests', wants('caddy'), async () => {
  const port = await freePort()
  const proxy = await startProxy('caddy', await programs.caddy(port, '127.0.0.1:1'))
  try {
    assert.equal((await visitAt(port)('/admin')).status, 502)
  } finally {
    await proxy.stop()
  }
})
