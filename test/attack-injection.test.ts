/** What a caller writes stays what it is: no line of the log, no header, no prototype and no cache is changed by it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { access, lists, logexport, rulesets } from '../src/contract/index.ts'
import { type House, startHouse } from './house.ts'
import { sendRaw } from './raw.ts'

let house: House
before(async () => {
  house = await startHouse({ environment: { SPILLWAY_LOG_LEVEL: 'debug' } })
})
after(() => house.stop())

const credentials = () => ({ 'x-auth-email': house.credential.email, 'x-auth-key': house.credential.key })
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(house.service.url + path, { method, headers: { ...credentials(), ...headers }, redirect: 'manual' })

describe('the log', () => {
  const nasty = [
    'a\r\n{"level":60,"msg":"forged"}',
    '\u001b[2J\u001b]0;owned\u0007',
    '\u009b31m',
    '"}\n{"',
    'a\u2028\u2029',
    '\u202egnp.exe',
  ]

  test('is one JSON object a line, in characters that no terminal obeys, whatever was asked', async () => {
    for (const text of nasty) {
      const raw = Buffer.from(text, 'utf8')
        .toString('latin1')
        .replaceAll(/[\0-\x20]/g, '\t')
      const asked = encodeURIComponent(text)
      await get(`/v4/zones/${asked}?name=${asked}`, {
        'user-agent': raw,
        'x-spillway-interface': raw,
        referer: raw,
        'x-request-id': raw,
      })
      await sendRaw(
        house.baseUrl,
        Buffer.from(
          `GET /v4/${encodeURI(text.toWellFormed()).slice(0, 20)}\x9b31m\x80\xff HTTP/1.1\r\nhost: x\r\n\r\n`,
          'latin1',
        ),
      )
      await house.client.call(access.createAccount, { body: { name: text } })
      const body = { name: 'nasty', kind: 'zone', phase: 'http_request_firewall_custom', description: text }
      await house.client
        .call(rulesets.createRuleset, {
          scope: house.zoneScope,
          body: { ...body, rules: [{ action: text, expression: text }] },
        })
        .catch(() => {})
      await house.client
        .call(logexport.issueChallenge, {
          scope: house.zoneScope,
          body: { destination_conf: `https://x.invalid/${text}` },
        })
        .catch(() => {})
    }
    assert.ok(house.logLines.length > nasty.length * 4)
    for (const line of house.logLines) {
      assert.match(line, /^\{[^\n]*\}\n$/)
      assert.equal(typeof JSON.parse(line).msg, 'string')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f]/, JSON.stringify(line))
      assert.ok(!line.includes('"msg":"forged"'))
    }
  })
})

describe('the headers of an answer', () => {
  const deploy = (phase: string, rule: object) =>
    house.client.call(rulesets.updateEntryPoint, { scope: house.zoneScope, params: { phase }, body: { rules: [rule] } })
  const decide = (query: string, as = '') =>
    get(`/v4/zones/${house.zone}/edge/decide${as}`, {
      'x-forwarded-uri': `/go?${query}`,
      'x-forwarded-host': 'a.test',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '192.0.2.1',
    })
  const injected = [
    '%0d%0aset-cookie:%20a=b',
    '%0aset-cookie:%20a=b',
    '%0d%0a%0d%0a<script>',
    '%00',
    '%e2%80%a8',
    '%c4%8d%c4%8aset-cookie:%20a=b',
    '%7f%1b',
  ]

  test('cannot be added to by a visitor through a rule that copies what the visitor wrote', async () => {
    const copied = 'url_decode(http.request.uri.query)'
    await deploy('http_request_late_transform', {
      action: 'rewrite',
      expression: 'true',
      action_parameters: { headers: { 'X-Copied': { operation: 'set', expression: copied } } },
    })
    await deploy('http_request_dynamic_redirect', {
      action: 'redirect',
      expression: 'starts_with(http.request.uri.path, "/go")',
      action_parameters: {
        from_value: { status_code: 302, target_url: { expression: `concat("https://b.test/", ${copied})` } },
      },
    })
    for (const query of injected) {
      for (const as of ['', '?as=auth_request', '?as=answer']) {
        const answer = await decide(query, as)
        assert.ok(answer.status < 500, `${query} ${as}: ${answer.status} ${await answer.text()}`)
        assert.equal(answer.headers.get('set-cookie'), null)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
        for (const [name, value] of answer.headers) assert.doesNotMatch(name + value, /[\u0000-\u001f\u007f]/)
      }
    }
    await deploy('http_request_dynamic_redirect', {
      action: 'redirect',
      expression: 'false',
      action_parameters: { from_value: { target_url: { value: 'https://b.test/' } } },
    })
    for (const query of injected) {
      const answer = await decide(query)
      assert.ok(answer.status < 500 && answer.headers.get('set-cookie') === null, query)
    }
  })

  test('cannot be added to by who writes rules', async () => {
    for (const text of ['text/plain\r\nset-cookie: a=b', 'text/html', 'a/b; \u0000']) {
      const response = { status_code: 403, content: 'x', content_type: text }
      await assert.rejects(
        deploy('http_request_firewall_custom', {
          action: 'block',
          expression: 'true',
          action_parameters: { response },
        }).then(async () => {
          const answer = await decide('a=b')
          assert.ok(text === 'text/html' && answer.status === 403 && answer.headers.get('set-cookie') === null)
          throw new Error('taken, and sent as it was written')
        }),
      )
    }
  })

  test('do not repeat what a caller sent: ids, origins, methods', async () => {
    const answer = await get('/v4/user', {
      'x-request-id': 'mine',
      origin: 'https://evil.invalid',
      'access-control-request-method': 'PUT',
    })
    assert.notEqual(answer.headers.get('x-request-id'), 'mine')
    assert.ok(![...answer.headers.values()].some((value) => value.includes('evil.invalid')))
  })
})

describe('prototypes', () => {
  test('are the same after every name that could change one was used as a name', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join()
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
    const post = (path: string, body: string, type = 'application/json') =>
      fetch(house.baseUrl + path, { method: 'POST', headers: { ...credentials(), 'content-type': type }, body })
    const [zone, account] = [`/zones/${house.zone}`, `/accounts/${house.account}`]
    for (const name of names) {
      const answers = [
        await get(`/v4/zones?${name}=1&${name}[polluted]=1&${name}.polluted=1`),
        await get(`/v4${zone}/logexport/datasets/${name}/fields`),
        await get(`/v4${zone}/logs/received?start=1&end=2&fields=${name}&dataset=${name}`),
        await get(`/v4${zone}/rulesets/phases/${name}/entrypoint`),
        await get(`/v4${zone}/rulesets/language?phase=${name}`),
        await get(`/assets/${name}`),
        await post(
          `${zone}/logs/ingest/http_requests`,
          `{"${name}":{"polluted":1},"RayID":"a"}\n`,
          'application/x-ndjson',
        ),
        await post(`${zone}/logs/ingest/${name}`, '{}\n', 'application/x-ndjson'),
        await post(`${account}/rules/lists`, JSON.stringify({ name: name.toLowerCase(), kind: name })),
        await post(
          `${zone}/rulesets`,
          `{"name":"${name}","kind":"${name}","phase":"${name}","rules":[{"action":"${name}","expression":"${name}","action_parameters":{"${name}":{"polluted":1}}}]}`,
        ),
        await post(
          `${zone}/rulesets/trace`,
          `{"url":"https://a.test/?${name}=1","method":"GET","headers":{"${name}":"1"},"cookies":{"${name}":"1"},"fields":{"${name}":"1"}}`,
        ),
        await post(
          `${zone}/logexport/validate/origin`,
          `{"dataset":"http_requests","logfetch_options":"${name}=1&fields=${name}"}`,
        ),
        await post(
          `${zone}/logexport/preview`,
          `{"dataset":"http_requests","output_options":{"${name}":{"polluted":1}},"filter":"{\\"where\\":{\\"key\\":\\"${name}\\",\\"operator\\":\\"${name}\\",\\"value\\":1}}"}`,
        ),
      ]
      for (const [at, answer] of answers.entries())
        assert.ok(answer.status < 500, `${name}, request ${at}: ${answer.status}`)
    }
    assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before)
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
  })
})

describe('answers', () => {
  test('that hold secrets are kept by no cache, nor are any others of the API', async () => {
    const token = { name: 'a', permissions: ['logs:read'] }
    const headers = { ...credentials(), 'content-type': 'application/json' }
    const made = await fetch(`${house.baseUrl}/accounts/${house.account}/tokens`, {
      method: 'POST',
      headers,
      body: JSON.stringify(token),
    })
    assert.match(await made.text(), /"value":"/)
    const others = [
      '/v4/user',
      '/v4/zones',
      '/v4/nothing',
      '/v4/zones/x',
      `/v4/zones/${house.zone}/logs/received`,
      '/v4/user/audit_logs?export=true',
    ]
    for (const answer of [made, ...(await Promise.all(others.map((path) => get(path))))])
      assert.equal(answer.headers.get('cache-control'), 'no-store', answer.url)
    const list = await house.client.call(lists.listLists, { scope: house.accountScope })
    assert.ok(Array.isArray(list))
  })

  test('are read by no page of another origin: nothing allows it, asked before or with the request', async () => {
    const origin = {
      origin: 'https://evil.invalid',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-auth-key',
    }
    for (const [path, method] of [
      ['/v4/user', 'GET'],
      ['/v4/user', 'OPTIONS'],
      ['/v4/zones', 'OPTIONS'],
      ['/', 'GET'],
      ['/metrics', 'GET'],
      ['/v4/openapi.json', 'GET'],
    ] as const) {
      const answer = await get(path, origin, method)
      assert.deepEqual(
        [...answer.headers.keys()].filter((name) => name.startsWith('access-control-')),
        [],
        `${method} ${path}`,
      )
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('of the console stand in no frame, run only its own script, and tell no other place where they were', async () => {
    for (const path of ['/', '/console/jobs', '/console/%22%3E%3Cscript%3E']) {
      const answer = await get(path)
      const policy = answer.headers.get('content-security-policy') ?? ''
      for (const part of [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "script-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
      ])
        assert.ok(policy.includes(part), `${path}: ${part}`)
      assert.ok(!/unsafe-|\*|data:|https?:/.test(policy), policy)
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
      assert.ok(!(await answer.text()).includes('"><script>'))
    }
  })
})
