/** The parts of the console that need no browser, held against the rooms whose words they speak. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { kinds, maskedBuild } from '../console/src/jobs/destination-kinds.ts'
import { escaped, unescaped } from '../console/src/jobs/output.ts'
import { readSelection, redaction, writeOptions, writeSelection } from '../console/src/jobs/selection.ts'
import { examples, type ListKind, kinds as listKinds, readItems } from '../console/src/lists/items.ts'
import { piecesOf, stretchAround } from '../console/src/parts/stretch.ts'
import { readRequestText } from '../console/src/rulesets/curl.ts'
import { differenceOf } from '../console/src/rulesets/difference.ts'
import { changeDraft, emptyDraft } from '../console/src/rulesets/draft.ts'
import { needsOf } from '../console/src/rulesets/needs.ts'
import { skippablePhases } from '../console/src/rulesets/skippable.ts'
import { catalogue, rulesets } from '../src/contract/index.ts'
import { datasets, judgeOptions, judgeOutputOptions } from '../src/datasets/index.ts'
import { kinds as destinationKinds, judgeDestination } from '../src/destinations/index.ts'
import { fields, functions } from '../src/expression/index.ts'
import { phases } from '../src/rulesets/index.ts'
import { itemShapes } from '../src/rulesets/list-items.ts'
import { judgeShape, listOf } from '../src/rulesets/shape.ts'
import { type House, startHouse } from './house.ts'

const secret = 'c2VjcmV0+words/thatnobodysees'

/** What a person would type into each kind's form. */
const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  s3: { bucket: 'example-logs', directory: '/edge/{DATE}/', region: 'eu-central-1', sse: 'AES256' },
  gcs: { bucket: 'example-logs', directory: 'edge' },
  azure: {
    url: 'https://exampleaccount.blob.core.windows.net/logs?sv=2022-11-02&ss=b&srt=o&sp=cw&se=2035-01-01T00:00:00Z&spr=https&sig=c2lnbmF0dXJl',
    directory: 'edge/{DATE}',
  },
  r2: {
    bucket: 'example-logs',
    directory: '',
    account: '0123456789abcdef0123456789abcdef',
    keyId: 'AKIAEXAMPLE',
    secretKey: secret,
  },
  datadog: {
    endpoint: 'https://http-intake.logs.datadoghq.com/api/v2/logs',
    key: '20e6d94e8c57924ad1be3c29bcaee0197d',
    tags: 'env:test',
  },
  newrelic: { host: 'log-api.eu.newrelic.com', key: 'eu01xx5b8ff1d2c0a4e6f9a7b3c1d5e7NRAL' },
  splunk: {
    host: 'https://collector.example.com:8088',
    channel: '0f3fa53e-5f0c-4a45-9b6a-3d3f3a1b2c4d',
    token: 'e6d94e8c-5792-4ad1-be3c-29bcaee0197d',
    sourcetype: 'edge:json',
    skip: 'false',
  },
  sumo: { url: 'https://endpoint1.collection.example.com/receiver/v1/http/ZaVnC4dhaV2ZZls3dGVzdGNvZGU=' },
  https: { url: 'https://logs.example.com:8443/ingest?tenant=web', authorization: 'Basic dXNlcjpwYXNzd29yZA==' },
  file: { directory: 'team/logs/{DATE}' },
}

test('every kind of destination has a form whose string is judged as that kind', () => {
  assert.deepEqual(kinds.map(({ kind }) => kind).sort(), destinationKinds.map(({ kind }) => kind).sort())
  for (const kind of kinds) {
    const judged = judgeDestination(kind.build(typed[kind.kind] ?? {}))
    assert.ok(judged.ok, `${kind.kind}: ${judged.ok ? '' : JSON.stringify(judged.reasons)}`)
    assert.equal(judged.value.kind, kind.kind)
  }
})

test('no secret of a form is in the string that is shown', () => {
  for (const kind of kinds) {
    const values = typed[kind.kind] ?? {}
    const judged = judgeDestination(kind.build(values))
    assert.ok(judged.ok)
    const shown = maskedBuild(kind, values)
    for (const one of judged.value.secrets) {
      assert.ok(!shown.includes(one), `${kind.kind} shows ${one}`)
      assert.ok(!shown.includes(encodeURIComponent(one)), `${kind.kind} shows ${one}`)
    }
  }
})

test('options that go through the form mean the same, without the redaction', () => {
  const [dataset] = datasets.filter(({ name }) => name === 'http_requests')
  assert.ok(dataset)
  const options = fc.record({
    fields: fc.subarray(dataset.fields.map(({ name }) => name)),
    sample: fc.constantFrom('1', '0.5', '0.001'),
    timestamps: fc.constantFrom('unix', 'unixnano', 'rfc3339'),
    redacts: fc.boolean(),
  })
  fc.assert(
    fc.property(options, ({ fields: chosen, sample, timestamps, redacts }) => {
      const named = chosen.length > 0 ? `fields=${chosen.join(',')}&` : ''
      const text = `${named}sample=${sample}&timestamps=${timestamps}${redacts ? `&${redaction}=true` : ''}`
      const job = { dataset: dataset.name, logfetch_options: text, output_options: null, filter: '' }
      const saved = writeOptions(readSelection(job))
      const [before, after] = [judgeOptions(text, dataset), judgeOptions(saved, dataset)]
      assert.ok(before.ok && after.ok, saved)
      assert.deepEqual(after.value, { ...before.value, redact: false })
      assert.ok(!saved.includes(redaction))
    }),
  )
})

test('output options that go through the form mean the same, without the redaction', () => {
  const [dataset] = datasets.filter(({ name }) => name === 'http_requests')
  assert.ok(dataset)
  const framed = fc.record(
    {
      output_type: fc.constantFrom('ndjson', 'csv'),
      compression: fc.constantFrom('gzip', 'zstd', 'none', null),
      batch_prefix: fc.string(),
      record_suffix: fc.constantFrom('\n', '}\r\n', '\\n', null),
      record_template: fc.constantFrom('{{.RayID}} <b>', '', null),
    },
    { requiredKeys: [] },
  )
  const chosen = fc.record(
    {
      field_names: fc.subarray(
        dataset.fields.map(({ name }) => name),
        { minLength: 1 },
      ),
      sample_rate: fc.constantFrom(1, 0.5, 0.001),
      timestamp_format: fc.constantFrom('unix', 'rfc3339ms', 'unixnano'),
      [redaction]: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(framed, fc.constant({ output_type: 'parquet' })), chosen, (frame, members) => {
      const options = { ...frame, ...members }
      const job = { dataset: dataset.name, logfetch_options: '', output_options: options, filter: '' }
      const saved = writeSelection(readSelection(job)).output_options
      const [before, after] = [judgeOutputOptions(options, dataset), judgeOutputOptions(saved, dataset)]
      assert.ok(before.ok && after.ok)
      assert.deepEqual(after.value, { ...before.value, redact: false })
      assert.ok(saved && !(redaction in saved))
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => assert.equal(unescaped(escaped(text)), text)))
})

test('lines become items of a list as the rulesets room reads them', () => {
  const read = (kind: ListKind, text: string) => {
    const items = readItems(kind, text)
    const judged = judgeShape(listOf(itemShapes[kind]), items)
    return judged.ok ? items : judged.reasons.map(({ pointer }) => pointer)
  }
  for (const [kind] of listKinds)
    assert.deepEqual(read(kind, examples[kind] ?? ''), readItems(kind, examples[kind] ?? ''))
  assert.deepEqual(read('ip', ' 192.0.2.1 #  a # b \n\n2001:db8::/32\n'), [
    { ip: '192.0.2.1', comment: 'a # b' },
    { ip: '2001:db8::/32' },
  ])
  assert.deepEqual(read('asn', 'AS64500\n64501 # x'), [{ asn: 64500 }, { asn: 64501, comment: 'x' }])
  assert.deepEqual(read('string', 'one # two'), [{ string: 'one # two' }])
  assert.deepEqual(read('redirect', 'a.example/x https://b.example/y 308'), [
    { redirect: { source_url: 'a.example/x', target_url: 'https://b.example/y', status_code: 308 } },
  ])
  assert.deepEqual(read('ip', '192.0.2.1\nnot one'), ['/1/ip'])
  assert.deepEqual(read('asn', 'twelve'), ['/0/asn'])
})

test('a request is read from a curl line, a raw request or an address', () => {
  const read = (text: string) => {
    const result = readRequestText(text)
    return result.ok ? result.request : result.why
  }
  assert.deepEqual(
    read(`curl -sS "https://a.example/x y" \\\n -H 'X-A: b: c' --data-raw '{"a":"\\u0021"}' -o /dev/null`),
    {
      method: 'POST',
      url: 'https://a.example/x y',
      headers: { 'X-A': 'b: c' },
      body: '{"a":"\\u0021"}',
    },
  )
  assert.deepEqual(read('curl -I example.com'), { method: 'HEAD', url: 'http://example.com', headers: {}, body: '' })
  assert.deepEqual(read('PUT /p?q=1 HTTP/1.1\r\nHost: a.example\r\n\r\nbody\r\n\r\nmore'), {
    method: 'PUT',
    url: 'https://a.example/p?q=1',
    headers: { Host: 'a.example' },
    body: 'body\n\nmore',
  })
  assert.deepEqual(read(' https://a.example/ '), { method: 'GET', url: 'https://a.example/', headers: {}, body: '' })
  assert.match(String(read('curl -H a:b')), /no address/)
  assert.match(String(read('GET /x')), /Host/)
  fc.assert(fc.property(fc.string(), (text) => void readRequestText(`curl ${text}`)))
})

test('a difference names what came, went, changed and moved, and nothing else', () => {
  const rule = (id: string, expression = 'ssl') => ({ id, ref: id, action: 'block', expression, enabled: true })
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => rule(id)) as [object, object, object, object]
  const kindsOf = (before: object[], after: object[]) =>
    differenceOf(before as never, after as never).map(({ kind, rule: { id } }) => `${kind} ${id}`)
  assert.deepEqual(kindsOf([a, b, c], [a, b, c]), [])
  assert.deepEqual(kindsOf([a, b, c], [c, a, b]), ['moved c'])
  assert.deepEqual(kindsOf([a, b, c], [a, rule('b', 'not ssl'), d]), ['removed c', 'changed b', 'added d'])
  const lists = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
  fc.assert(
    fc.property(lists, lists, (before, after) => {
      const found = kindsOf(
        before.map((id) => rule(id)),
        after.map((id) => rule(id)),
      )
      const came = after.filter((id) => !before.includes(id))
      const went = before.filter((id) => !after.includes(id))
      assert.deepEqual(
        found.filter((one) => !one.startsWith('moved')).sort(),
        [...came.map((id) => `added ${id}`), ...went.map((id) => `removed ${id}`)].sort(),
      )
      const kept = after.filter((id) => before.includes(id))
      const isSameOrder = kept.join() === before.filter((id) => after.includes(id)).join()
      assert.equal(
        found.some((one) => one.startsWith('moved')),
        !isSameOrder,
      )
    }),
  )
})

test('moving rules in a draft loses none and makes none', () => {
  const moves = fc.array(
    fc.record({ key: fc.constantFrom('0', '1', '2', '3', 'nobody'), to: fc.integer({ min: -2, max: 6 }) }),
  )
  fc.assert(
    fc.property(moves, (made) => {
      const rules = ['0', '1', '2', '3'].map((id) => ({ id }))
      const start = changeDraft(emptyDraft, { kind: 'load', rules })
      const end = made.reduce((draft, move) => changeDraft(draft, { kind: 'move', ...move }), start)
      assert.deepEqual(end.rules.map(({ key }) => key).sort(), ['0', '1', '2', '3'])
    }),
  )
})

test('a long list draws what is visible and what is kept, and its room makes up for the rest', () => {
  const list = fc.record({
    heights: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 200 }),
    top: fc.integer({ min: -500, max: 30_000 }),
    tall: fc.integer({ min: 1, max: 1200 }),
    margin: fc.integer({ min: 0, max: 700 }),
    kept: fc.array(fc.nat(199)),
  })
  fc.assert(
    fc.property(list, ({ heights, top, tall, margin, kept }) => {
      const visible = { top, bottom: top + tall }
      const pieces = piecesOf(heights, stretchAround(heights, visible, margin), new Set(kept))
      const rows = pieces.flatMap((piece) => (piece.kind === 'row' ? [piece.at] : []))
      const px = pieces.reduce((sum, piece) => sum + (piece.kind === 'row' ? (heights[piece.at] ?? 0) : piece.px), 0)
      assert.equal(
        px,
        heights.reduce((sum, height) => sum + height, 0),
      )
      assert.deepEqual(
        rows,
        [...new Set(rows)].sort((a, b) => a - b),
      )
      let above = 0
      for (const [at, height] of heights.entries()) {
        const isVisible = above < visible.bottom && above + height > visible.top
        if (isVisible || (kept.includes(at) && at < heights.length)) assert.ok(rows.includes(at), `row ${at}`)
        above += height
      }
      assert.ok(rows.length > 0)
    }),
  )
})

test('what a skip rule may leave out is what the phases and the action say', () => {
  const said = Object.fromEntries(
    phases.flatMap(({ name, maySkip }) => (maySkip ? [[name, [...maySkip].sort()] as const] : [])),
  )
  const offered = Object.entries(skippablePhases).map(([name, may]) => [name, may.map(([one]) => one).sort()] as const)
  assert.deepEqual(Object.fromEntries(offered), said)
})

let house: House
before(async () => {
  house = await startHouse()
})
after(() => house.stop())

test('the catalogue tells which datasets, phases, fields, functions and actions there are in a place', async () => {
  const { client, zoneScope, accountScope } = house
  const names = async (scope: typeof zoneScope | typeof accountScope) =>
    (await client.call(catalogue.listDatasets, { scope })).map(({ name }) => name)
  assert.ok((await names(zoneScope)).includes('http_requests'))
  assert.ok(!(await names(accountScope)).includes('http_requests'))
  assert.ok((await names(accountScope)).includes('gateway_http'))

  const phases = await client.call(catalogue.listPhases, { scope: zoneScope })
  const custom = phases.find(({ name }) => name === 'http_request_firewall_custom')
  assert.ok(custom?.actions_of_entry_point.includes('block'))

  const all = await client.call(catalogue.viewLanguage, { scope: accountScope })
  assert.equal(all.fields.length, fields.length)
  assert.equal(all.functions.length, functions.length)
  const query = { phase: 'http_request_firewall_custom' }
  const some = await client.call(catalogue.viewLanguage, { scope: zoneScope, query })
  assert.ok(some.fields.some(({ name, type }) => name === 'http.host' && type === 'String'))
  assert.ok(!some.fields.some(({ name }) => name === 'http.response.code'))
  assert.ok(some.functions.some(({ signature }) => signature.startsWith('starts_with(')))
  assert.ok(some.actions.some(({ name }) => name === 'skip'))
  await assert.rejects(
    client.call(catalogue.viewLanguage, { scope: zoneScope, query: { phase: 'nowhere' } }),
    /unknown phase/,
  )
})

test('a rule with a fresh action is accepted in every phase, but for what only a person can choose', async () => {
  const { client, zoneScope: scope } = house
  for (const { name: phase, actions_of_entry_point: actions } of await client.call(catalogue.listPhases, { scope })) {
    const language = await client.call(catalogue.viewLanguage, { scope, query: { phase } })
    for (const action of actions.filter((one) => one !== 'execute')) {
      const rule = { action, expression: 'true', ...needsOf(action, phase, language) }
      await client.call(rulesets.updateEntryPoint, {
        scope,
        params: { phase },
        query: { dry_run: true },
        body: { rules: [rule] },
      })
    }
  }
})
