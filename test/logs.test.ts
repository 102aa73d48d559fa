/** Records through a real store: what comes in, what is refused and why, and what comes out again. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Scope, systemClock } from '../src/base/index.ts'
import {
  type Dataset,
  judgeDataset,
  judgeFilter,
  judgeOptions,
  judgeOutputOptions,
  makeGenerator,
  plainSelection,
  type Selection,
} from '../src/datasets/index.ts'
import {
  activity,
  append,
  countPerWindow,
  forget,
  makeIngest,
  makeTables,
  newestStamp,
  scan,
  scanRay,
  spoolParts,
  type Window,
} from '../src/logs/index.ts'
import { aScope, bodyOf, openTestStore, read, type TestStore } from './logs-store.ts'

const accepted = <T>(judged: { readonly ok: true; readonly value: T } | { readonly ok: false }): T => {
  assert.ok(judged.ok)
  return judged.value
}
const field = (name: string, type: string, more: object = {}) => ({ name, type, description: 'of a test', ...more })
const every: Dataset = accepted(
  judgeDataset({
    name: 'every_type',
    scope: 'both',
    timestampField: 'When',
    defaultFields: ['When', 'Text'],
    fields: [
      field('Text', 'string'),
      field('Whole', 'int'),
      field('Part', 'float'),
      field('Flag', 'bool'),
      field('When', 'int', { timestamp: true }),
      field('Texts', 'array', { items: 'string' }),
      field('Wholes', 'array', { items: 'int' }),
      field('Thing', 'object'),
      field('Things', 'array', { items: 'object' }),
      field('RayID', 'string'),
    ],
  }),
)
const all = every.fields.map(({ name }) => name)

let house: TestStore
let scopes = 0
/** A scope nobody has used yet, so that tests do not see each other's records. */
const newScope = (): Scope => {
  scopes += 1
  return { ...aScope(), id: scopes.toString(16).padStart(32, '0') }
}
before(async () => {
  house = await openTestStore([every])
})
after(() => house.close())

const take = (scope: Scope, text: string | Uint8Array, options = {}) =>
  append(house.needs, scope, every, bodyOf(text), options)
const upToNow = (): Window => ({ from: 0n, to: house.needs.watermark.read() })
const selected = (options: string): Selection => accepted(judgeOptions(options, every))
const fetchText = async (scope: Scope, selection: Selection, options = {}) =>
  read(await scan(house.needs, scope, every, upToNow(), selection, options))
const fetchAll = (scope: Scope) => fetchText(scope, selected(`fields=${all.join(',')}`))

test('every value comes out as it went in, to the last digit and character', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 }).filter((each) => each.isWellFormed())
  const whole = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const thing = fc.dictionary(
    text,
    fc.jsonValue({ maxDepth: 3 }).filter((value) => JSON.stringify(value) !== undefined),
  )
  const record = fc.record(
    {
      Flag: fc.boolean(),
      Part: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
      RayID: text,
      Text: text,
      Texts: fc.array(text, { maxLength: 3 }),
      Thing: thing,
      Things: fc.array(thing, { maxLength: 2 }),
      When: fc.bigInt({ min: 10n ** 17n, max: 9n * 10n ** 18n }),
      Whole: whole,
      Wholes: fc.array(whole, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
      const scope = newScope()
      const lines = records.map((each) => exactly(each))
      const answer = await take(scope, lines.join('\n'))
      assert.deepEqual([answer.accepted, answer.errors], [records.length, []])
      const empty = {
        Flag: false,
        Part: 0,
        RayID: '',
        Text: '',
        Texts: [],
        Thing: {},
        Things: [],
        When: 0n,
        Whole: 0n,
        Wholes: [],
      }
      const expected = records.map((each) =>
        normal(
          exactly(Object.fromEntries(all.map((name) => [name, { ...empty, ...each }[name as keyof typeof empty]]))),
        ),
      )
      const got = (await fetchAll(scope)).trimEnd().split('\n').map(normal)
      assert.deepEqual(got, expected)
    }),
    { numRuns: 20 },
  )
})

/** JSON text with whole bigints; numbers compare by value and big ones by their digits. */
const exactly = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(each)) : each,
  )
const normal = (line: string): unknown =>
  JSON.parse(line, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source && /^-?\d{16,}$/.test(source) ? `big ${source}` : value) as never)

const refusals: readonly (readonly [why: string, line: string | Buffer, says: RegExp])[] = [
  ['no object', '[1]', /not a JSON object/],
  ['a bare word', 'nonsense', /not a JSON object/],
  ['a number for a string', '{"Text":5}', /^Text: expected string, got 5/],
  ['an object for a string', '{"Text":{"a":1}}', /^Text: expected string/],
  ['a text for an int', '{"Whole":"abc"}', /^Whole: expected int, got "abc"/],
  ['a fraction for an int', '{"Whole":1.5}', /^Whole: expected int, got 1\.5/],
  ['an int beyond 64 bits', '{"Whole":9223372036854775808}', /Whole: 9223372036854775808 does not fit in 64 bits/],
  ['an int of 60 digits', `{"Whole":${'9'.repeat(60)}}`, /does not fit in 64 bits/],
  ['an int beyond 64 bits in a list', '{"Wholes":[1,18446744073709551616]}', /does not fit in 64 bits/],
  ['a float that is none', '{"Part":1e999}', /Part: 1e999 is too large/],
  ['NaN', '{"Part":NaN}', /no JSON value at character 9/],
  ['a text for a bool', '{"Flag":"yes"}', /^Flag: expected bool/],
  ['a text for a list', '{"Texts":"x"}', /^Texts: expected array\[string\]/],
  ['a number in a list of strings', '{"Texts":["x",5]}', /^Texts: expected array\[string\]/],
  ['a text for an object', '{"Thing":"x"}', /^Thing: expected object/],
  ['an object that is no JSON', '{"Thing":{"a":nonsense}}', /Thing: not valid JSON inside/],
  ['a list item that is no object', '{"Things":[{"a":1},7]}', /^Things: expected array\[object\]/],
  ['a time that is none', '{"When":"yesterday"}', /^When: expected unix seconds/],
  ['31 February', '{"When":"2025-02-31T00:00:00Z"}', /^When: expected unix seconds/],
  ['a field twice', '{"Text":"a","Text":"b"}', /field Text is there twice/],
  ['two objects on a line', '{"Text":"a"}{"Text":"b"}', /more text after the object/],
  ['a string never closed', '{"Text":"abc', /never closed/],
  ['an object never closed', '{"Text":"abc"', /ends in the middle/],
  ['half a character', '{"Text":"\\ud800"}', /half a character/],
  ['a raw zero outside a string', '{"Text":\u0000"a"}', /no JSON value/],
  ['nesting without end', `{"Thing":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`, /nested more than 200 levels/],
  [
    'unknown nesting without end',
    `{"Strange":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    /nested more than 200 levels/,
  ],
  ['a line over 1 MB', `{"Text":"${'x'.repeat(1 << 20)}"}`, /longer than 1048576 bytes/],
  [
    'bytes that are no UTF-8',
    Buffer.from([...Buffer.from('{"Text":"'), 0xff, ...Buffer.from('"}')]),
    /not valid UTF-8/,
  ],
  ['a stolen row number', '{"_seq":1,"_scope":"zones/x","Text":5}', /^Text: expected string/],
]

for (const [why, line, says] of refusals) {
  test(`${why} is refused by number and reason, and its neighbours stay`, async () => {
    const scope = newScope()
    const body = Buffer.concat([
      Buffer.from('{"Text":"before"}\n\n'),
      Buffer.from(line),
      Buffer.from('\n{"Text":"after"}\n'),
    ])
    const answer = await take(scope, body)
    assert.deepEqual([answer.accepted, answer.rejected, answer.errors.map((each) => each.line)], [2, 1, [3]])
    assert.match(answer.errors[0]?.message ?? '', says)
    const texts = (await fetchAll(scope))
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each).Text)
    assert.deepEqual(texts, ['before', 'after'])
  })
}

test('a whole number beyond 128 bits is refused, not wrapped into another', async () => {
  const answer = await take(newScope(), '{"Whole":-340282366920938463454151235394913435649}')
  assert.deepEqual([answer.accepted, answer.rejected], [0, 1])
})

/**
 * A line by itself goes to the engine; beside one that is bad, each is judged. Whatever the engine does not take is
 * judged then, so the two can differ only in lines that the judge refuses.
 */
async function areJudgedAlike(lines: readonly string[]): Promise<void> {
  const { errors } = await take(newScope(), [...lines, '{"Text":5}'].join('\n'))
  const refused = errors.flatMap(({ line }) => lines[line - 1] ?? [])
  const answers = await Promise.all(refused.map((line) => take(newScope(), line)))
  assert.deepEqual(
    refused.filter((_, index) => answers[index]?.accepted !== 0),
    [],
  )
}

test('what the judge of single lines refuses, the engine does not take', async () => {
  const value = fc.oneof(fc.json({ maxDepth: 2 }), fc.bigInt().map(String), fc.double().map(String))
  const line = fc.tuple(fc.constantFrom(...all), value).map(([name, text]) => `{"${name}":${text}}`)
  await fc.assert(fc.asyncProperty(fc.array(line, { minLength: 10, maxLength: 10 }), areJudgedAlike), { numRuns: 15 })
})

for (const text of [
  ...['null', 'true', '0', '1', '+5', '007', '-0', '1e3', '1e400'],
  ...['""', '"1"', '"{}"', '"\\x"', '"a\tb"', '"\\ud800"'],
  ...['{}', '{"a":{}}', '{"a":1e400}', '{"$":"\\u0024{"}'],
  ...['[]', '[null]', '[{}]', '["a",{}]', '[[]]', '[[{}]]', '[1]', '["1"]', '[true]', '["{\\"a\\":1}"]'],
])
  test(`${text} is judged alike in every field, by the engine and by ourselves`, async () => {
    await areJudgedAlike(all.map((name) => `{"${name}":${text}}`))
  })

test('an array of objects is as good as lines, whatever blanks it has', async () => {
  const scope = newScope()
  const answer = await take(scope, ' [ {"Text":\n"a, [b]"} ,\r\n{"Thing":{"x": [1,\n2]}} , 7 ] ')
  assert.deepEqual([answer.accepted, answer.errors], [2, [{ line: 3, message: 'not a JSON object' }]])
  assert.deepEqual((await fetchAll(scope)).match(/"Text":"a, \[b\]"|"Thing":\{"x": \[1, 2\]\}/g)?.length, 2)
})

for (const body of ['[{"Text":"a"}', '[{"Text":"a"}] x', '[,]', '[{"Text":"a"}}]'])
  test(`the array ${body} is refused whole`, async () => {
    await assert.rejects(take(newScope(), body), { refusal: 'invalid' })
  })

test('an unknown field is counted, and the record kept', async () => {
  const scope = newScope()
  for (const _ of [1, 2]) {
    const answer = await take(scope, '{"Text":"a","New":1}\n{"New":2,"Other":{}}\n{"Text":"c"}')
    assert.deepEqual([answer.accepted, answer.unknownFields], [3, { New: 2, Other: 1 }])
  }
})

test('a name in other letters, large for small, is another name', async () => {
  const scope = newScope()
  for (const body of ['{"text":"a"}', '{"Text":"a","TEXT":"b"}\n{"text":5,"Text":"c"}', '{"text":1}\n{"Whole":"x"}'])
    await take(scope, body)
  const { accepted, unknownFields } = await take(scope, '{"text":"d","whole":7,"Text":"e"}\n{"Text":"f"}')
  assert.deepEqual([accepted, unknownFields], [2, { text: 1, whole: 1 }])
  assert.deepEqual(
    (await fetchAll(scope)).match(/"Text":"\w*"/g),
    ['', 'a', 'c', '', 'e', 'f'].map((each) => `"Text":"${each}"`),
  )
})

test('what only looks like the name of a field is as unknown as any', async () => {
  const names = [
    '',
    'Text ',
    '`Text`',
    'Text.size',
    'Texts.size0',
    'Thing.a',
    '_at',
    '_part',
    '__proto__',
    'a'.repeat(70_000),
  ]
  const scope = newScope()
  const lines = names.map((name) => `{${JSON.stringify(name)}:"x","Text":"kept"}`)
  const { accepted, unknownFields } = await take(scope, lines.join('\n'))
  assert.deepEqual([accepted, Object.keys(unknownFields).toSorted()], [names.length, names.toSorted()])
  assert.equal((await fetchAll(scope)).match(/"Text":"kept"/g)?.length, names.length)
})

test('a field named by a zero byte is as unknown as any, and the engine lives on', async () => {
  const life = house.engine?.pid()
  const answer = await take(newScope(), String.raw`{"\u0000":1,"Text":"a"}`)
  assert.deepEqual([answer.accepted, Object.keys(answer.unknownFields)], [1, ['\0']])
  assert.equal(house.engine?.pid(), life)
})

test('times come in as seconds, milliseconds, nanoseconds or RFC 3339, and go out as asked', async () => {
  const scope = newScope()
  const forms = [
    '1750000000',
    '1750000000123',
    '1750000000123456789',
    '"1750000000"',
    '"2025-06-15T17:06:40.123456789+02:00"',
    '-1',
  ]
  await take(scope, forms.map((form) => `{"When":${form}}`).join('\n'))
  const out = async (format: string) =>
    (await fetchText(scope, { ...selected('fields=When'), timestamps: format as never }))
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(8, -1))
  assert.deepEqual(await out('unixnano'), [
    '1750000000000000000',
    '1750000000123000000',
    '1750000000123456789',
    '1750000000000000000',
    '1750000000123456789',
    '-1000000000',
  ])
  assert.deepEqual(await out('unix'), ['1750000000', '1750000000', '1750000000', '1750000000', '1750000000', '-1'])
  assert.deepEqual((await out('rfc3339')).at(-1), '"1969-12-31T23:59:59Z"')
  assert.deepEqual((await out('rfc3339ms'))[2], '"2025-06-15T15:06:40.123Z"')
  assert.deepEqual((await out('rfc3339ns'))[4], '"2025-06-15T15:06:40.123456789Z"')
})

test('a time that does not fit into nanoseconds of 64 bits is refused alike among numbers and among texts', async () => {
  const edges = [9_223_372_036n, 9_223_372_036_854n, 9_223_372_036_854_775n]
  const times = [
    ...edges.flatMap((edge) => [edge, edge + 1n]),
    99_999_999_999n,
    100_000_000_000n,
    99_999_999_999_999n,
    100_000_000_000_000n,
    99_999_999_999_999_999n,
    100_000_000_000_000_000n,
    2n ** 63n - 1n,
  ]
  const nanos = (time: bigint) => {
    const size = time < 0n ? -time : time
    const unit = [11n, 14n, 17n].findIndex((digits) => size < 10n ** digits)
    return unit === -1 ? time : time * 1000n ** BigInt(3 - unit)
  }
  const fits = (time: bigint) => BigInt.asIntN(64, nanos(time)) === nanos(time)
  const both = times.flatMap((time) => [time, -time])
  const selection = { ...selected('fields=When'), timestamps: 'unixnano' as const }
  for (const among of ['1750000000', '"2025-06-15T15:06:40Z"']) {
    const line = (when: unknown) => `{"When":${when}}\n`
    const scope = newScope()
    const fitting = both.filter(fits)
    await take(scope, [among, ...fitting].map(line).join(''))
    assert.equal(
      await fetchText(scope, selection),
      [1_750_000_000n, ...fitting].map((time) => line(nanos(time))).join(''),
    )
    for (const time of both.filter((each) => !fits(each))) {
      const { accepted, errors } = await take(newScope(), [among, time, among].map(line).join(''))
      assert.deepEqual([accepted, errors[0]?.line], [2, 2], `${time} among ${among}`)
    }
  }
  const mixed = newScope()
  const lines = ['1750000000', '"2025-06-15T15:06:40Z"', '1750000000000'].map((when) => `{"When":${when}}`)
  assert.equal((await take(mixed, lines.join('\n'))).accepted, 3)
  assert.equal(await fetchText(mixed, selection), '{"When":1750000000000000000}\n'.repeat(3))
})

test('redaction leaves no ${ in the text, nor in what the text means', async () => {
  const scope = newScope()
  await take(
    scope,
    String.raw`{"Text":"\u0024{a}$${'$'}{b}","Texts":["$\u007bx}"],"Thing":{"$\u007bk":"\u0024{v","\\u0024{":1},"Things":[{"a":"${'${'}"}]}`,
  )
  const record = JSON.parse(await fetchText(scope, { ...selected(`fields=${all.join(',')}`), redact: true }))
  assert.ok(!JSON.stringify(record).includes('${'))
  assert.deepEqual(record.Thing, { 'x{k': 'x{v', '\\u0024{': 1 })
  assert.equal(record.Text, 'x{a}$x{b}')
})

test('framing meets an object without a ${ slipping through', async () => {
  const scope = newScope()
  await take(scope, '{"Thing":{"a":1},"Text":"t"}\n{}')
  const options = {
    field_names: ['Thing', 'Text'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: not ours, theirs
    record_template: '${{.Thing}}{{.Text}}$',
    record_prefix: '',
    record_suffix: '',
    record_delimiter: '{',
    batch_prefix: '<',
    batch_suffix: '>',
    'CVE-2021-44228': true,
  }
  const selection = accepted(judgeOutputOptions(options, every))
  assert.equal(await fetchText(scope, selection), '<x{"a":1}"t"x{x{}""x>')
})

test('a sample is the same on every reading, and nearly the asked share', async () => {
  const scope = newScope()
  await take(scope, Array.from({ length: 5000 }, (_, i) => `{"Whole":${i}}`).join('\n'))
  const selection = selected('fields=Whole&sample=0.1')
  const first = await fetchText(scope, selection)
  assert.equal(await fetchText(scope, selection), first)
  const count = first.trimEnd().split('\n').length
  assert.ok(count > 400 && count < 600, `${count} of 5000`)
})

test('a filter keeps what it says', async () => {
  const scope = newScope()
  await take(scope, '{"Text":"a\'b","Whole":9007199254740993,"Texts":["x"],"Flag":true}\n{"Text":"c","Whole":1}')
  const kept = async (where: object) =>
    (
      await fetchText(scope, {
        ...selected('fields=Text'),
        filter: accepted(judgeFilter(JSON.stringify({ where }), every)),
      })
    )
      .trimEnd()
      .split('\n')
      .filter(Boolean).length
  assert.equal(await kept({ key: 'Text', operator: 'eq', value: "a'b" }), 1)
  assert.equal(await kept({ key: 'Whole', operator: 'gt', value: '9007199254740992' }), 1)
  assert.equal(await kept({ key: 'Texts', operator: '!contains', value: 'x' }), 1)
  assert.equal(
    await kept({
      or: [
        { key: 'Flag', operator: 'eq', value: true },
        { key: 'Text', operator: 'in', value: ['c', 'd'] },
      ],
    }),
    2,
  )
  assert.equal(
    await kept({
      and: [
        { key: 'Text', operator: 'startsWith', value: 'a' },
        { key: 'Text', operator: 'endsWith', value: 'c' },
      ],
    }),
    0,
  )
})

test('a repeat with the same Idempotency-Key stores nothing and answers the same; another body is refused', async () => {
  const scope = newScope()
  const body = '{"Text":"once"}\n{"Text":5}\n'
  const first = await take(scope, body, { idempotencyKey: 'k' })
  const both = await Promise.all([
    take(scope, body, { idempotencyKey: 'k' }),
    take(scope, body, { idempotencyKey: 'k' }),
  ])
  assert.deepEqual(both, [first, first])
  await assert.rejects(take(scope, '{"Text":"other"}', { idempotencyKey: 'k' }), { refusal: 'invalid' })
  assert.equal((await fetchAll(scope)).trimEnd().split('\n').length, 1)
})

test('spooled parts hold every record once, in order, below their limits, and are the same bytes again', async () => {
  const scope = newScope()
  const requests = house.needs.datasets.find('http_requests') as Dataset
  const from = house.needs.watermark.read()
  const generator = makeGenerator(requests, 7)
  for (const count of [900, 600, 1]) await append(house.needs, scope, requests, bodyOf(generator.lines(count)))
  const window = { from, to: house.needs.watermark.read() }
  const selection = plainSelection(requests)
  const whole = await read(await scan(house.needs, scope, requests, window, selection))
  const spool = (options: object) =>
    spoolParts(house.needs, scope, requests, window, selection, { name: 'w', ...options })
  for (const limits of [
    {},
    { maxRecords: 700 },
    { maxBytes: 50_000 },
    { maxRecords: 100, maxBytes: 90_000, level: 1 },
  ]) {
    const parts = await spool(limits)
    const texts = parts.map((part) => gunzipSync(readFileSync(part.file)).toString())
    assert.equal(texts.join(''), whole)
    assert.deepEqual(
      parts.map((part) => [part.rows, part.rawBytes]),
      texts.map((text) => [text.split('\n').length - 1, Buffer.byteLength(text)]),
    )
    const { maxRecords = Infinity, maxBytes = Infinity } = limits as { maxRecords?: number; maxBytes?: number }
    assert.ok(parts.every((part) => part.rows <= maxRecords && part.rawBytes <= maxBytes))
    assert.deepEqual(
      (await spool(limits)).map((part) => part.sha256),
      parts.map((part) => part.sha256),
    )
  }
  assert.deepEqual(await spoolParts(house.needs, newScope(), requests, window, selection, { name: 'none' }), [])
  const left = readdirSync(house.needs.spool).filter((name) => name.startsWith('none'))
  assert.deepEqual(left, [], 'no part, no file')
})

test('a part that is full says only that there may be more', async () => {
  const scope = newScope()
  const from = house.needs.watermark.read()
  await take(scope, '{}\n{}\n{}\n{}')
  const window = { from, to: house.needs.watermark.read() }
  const selection = plainSelection(every)
  for (const [maxRecords, rows] of [
    [3, [3, 1]],
    [4, [4]],
    [5, [4]],
    [1, [1, 1, 1, 1]],
  ] as const) {
    const parts = await spoolParts(house.needs, scope, every, window, selection, { name: 'full', maxRecords })
    assert.deepEqual(
      parts.map((part) => part.rows),
      rows,
    )
  }
})

test('what many senders send at once goes in with a few inserts, and each hears of its own lines', async () => {
  const scope = newScope()
  const from = house.needs.watermark.read()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, sender) => take(scope, `{"Text":"${sender}"}\n${sender % 7 === 0 ? 'no' : '{}'}`)),
  )
  assert.deepEqual(
    answers.map(({ accepted }) => accepted),
    answers.map((_, sender) => (sender % 7 === 0 ? 1 : 2)),
  )
  const answer = await house.needs.store.client.query({
    query: `SELECT uniqExact(_at) AS inserts, count() AS rows FROM records_every_type WHERE _scope = 'zones/${scope.id}' AND _at >= ${from}`,
    format: 'JSONEachRow',
  })
  const [stored] = await answer.json<{ inserts: number; rows: number }>()
  assert.equal(Number(stored?.rows), 111)
  assert.ok(Number(stored?.inserts) <= 6, `${stored?.inserts} inserts`)
})

/** As after a start, when no sender has been seen. */
const freshly = () => ({ ...house.needs, ingest: makeIngest(house.needs) })
const seenBy = ({ ingest }: ReturnType<typeof freshly>) => ingest.seen.narrow(every).fields.map(({ name }) => name)

test('a field that no sender has filled before is kept, in whatever line it comes', async () => {
  const needs = freshly()
  const scope = newScope()
  // Not every line of a batch is looked at, and not this one.
  const around = '{"Text":"a"}\n'.repeat(100)
  const takeOne = (line: string, options = {}) =>
    append(needs, scope, every, bodyOf(`${around}${line}\n${around}`), options)
  const kept = { accepted: 201, rejected: 0, unknownFields: {}, errors: [] }
  assert.deepEqual(await takeOne('{"Text":"b"}'), kept)
  assert.deepEqual(seenBy(needs), ['Text', 'When'])
  assert.deepEqual(await takeOne('{"Whole":7}'), kept)
  assert.deepEqual(await takeOne('{"Part":0.5}', { idempotencyKey: 'k' }), kept)
  assert.deepEqual(await Promise.all([takeOne('{"Flag":true}'), takeOne('{"Flag":true}')]), [kept, kept])
  assert.deepEqual(seenBy(needs), ['Flag', 'Part', 'Text', 'When', 'Whole'])
  assert.deepEqual(await takeOne('{"RayID":"r","New":1}'), { ...kept, unknownFields: { New: 1 } })
  const text = await fetchAll(scope)
  assert.deepEqual(text.match(/"Whole":7|"Part":0.5|"Flag":true|"RayID":"r"/g)?.toSorted(), [
    '"Flag":true',
    '"Flag":true',
    '"Part":0.5',
    '"RayID":"r"',
    '"Whole":7',
  ])
  assert.equal(text.trimEnd().split('\n').length, 6 * 201)
})

test('whatever fields senders fill from one batch to the next, all of them come out', async () => {
  const record = fc.record(
    { Text: fc.constant('t'), Whole: fc.nat(), Flag: fc.boolean(), Texts: fc.constant(['x']), RayID: fc.uuid() },
    { requiredKeys: [] },
  )
  const empty = { Text: '', Whole: 0, Flag: false, Texts: [], RayID: '' }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(record, { minLength: 1, maxLength: 50 }), { maxLength: 5 }), async (batches) => {
      const needs = freshly()
      const scope = newScope()
      for (const batch of batches)
        await append(needs, scope, every, bodyOf(batch.map((each) => `${JSON.stringify(each)}\n`).join('')))
      const text = await fetchText(scope, selected(`fields=${Object.keys(empty).join(',')}`))
      const lines = text.split('\n').slice(0, -1)
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        batches.flat().map((each) => ({ ...empty, ...each })),
      )
    }),
    { numRuns: 25 },
  )
})

test('who had records in a window is one question, and windows are counted by another', async () => {
  const scope = newScope()
  const from = house.needs.watermark.read()
  await take(scope, '{}\n{}')
  const middle = house.needs.watermark.read()
  await take(scope, '{"RayID":"00aa"}')
  const to = house.needs.watermark.read()
  const mine = (await activity(house.needs, { from, to })).filter((each) => each.id === scope.id)
  assert.deepEqual(
    mine.map(({ kind, dataset, rows }) => [kind, dataset, rows]),
    [['zone', 'every_type', 3]],
  )
  const windows = [
    { from, to: middle },
    { from: middle, to },
    { from: to, to: to + 1n },
  ]
  assert.deepEqual(await countPerWindow(house.needs, scope, every, windows, plainSelection(every)), [2, 1, 0])
  const ray = await scanRay(house.needs, scope, every, '00aa', { from: 0n, to }, selected('fields=RayID'))
  assert.equal(ray && (await read(ray)), '{"RayID":"00aa"}\n')
  assert.ok((await newestStamp(house.needs)) < to)
})

test('a scan that is aborted ends as a failure', async () => {
  const giveUp = new AbortController()
  giveUp.abort()
  await assert.rejects(fetchText(newScope(), plainSelection(every), { signal: giveUp.signal }))
})

test('a field added to the catalogue appears, and old records have it empty', async () => {
  const scope = newScope()
  await take(scope, '{"Text":"old"}')
  const wider: Dataset = {
    ...every,
    fields: [...every.fields, { name: 'Zebra', type: 'int', description: 'new', filterable: true }],
  }
  await makeTables(house.needs.store, [wider])
  await append(house.needs, scope, wider, bodyOf('{"Text":"new","Zebra":7}'))
  const text = await read(
    await scan(house.needs, scope, wider, upToNow(), { ...plainSelection(wider), fields: ['Text', 'Zebra'] }),
  )
  assert.equal(text, '{"Text":"old","Zebra":0}\n{"Text":"new","Zebra":7}\n')
})

test('days go when they are old and nobody waits for them, and on a full disk the loss is said', async () => {
  const own = await openTestStore([every], { now: () => systemClock() - 20n * 86_400_000_000_000n })
  try {
    const scope = aScope()
    await append(own.needs, scope, every, bodyOf('{"Text":"a"}\n{"Text":"b"}'))
    const rules = { now: systemClock(), days: () => 7, keepFrom: () => 0n as bigint | undefined }
    assert.deepEqual(await forget(own.needs, rules), [])
    const [lost] = await forget(own.needs, { ...rules, diskBytes: 0 })
    assert.deepEqual([lost?.rows, lost?.why, lost?.unexported], [2, 'disk', true])
    await append(own.needs, scope, every, bodyOf('{"Text":"c"}'))
    const [gone] = await forget(own.needs, { ...rules, keepFrom: () => undefined })
    assert.deepEqual([gone?.rows, gone?.why, gone?.unexported], [1, 'expired', false])
  } finally {
    await own.close()
  }
})
