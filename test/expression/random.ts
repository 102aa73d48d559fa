/** Random expressions that parse, and random requests for them, over few names and few values so that they meet. */
import fc from 'fast-check'

const words = ['', 'a', 'b', 'ab', 'aB', 'Abc', 'é', 'b*c', 'a"b', '\\']
const quoted = fc.constantFrom(...words).map((word) => JSON.stringify(word).replace('\\u', '\\\\u'))
const integers = fc.oneof(
  fc.integer({ min: -3, max: 300 }).map(String),
  fc.constantFrom('0x10', '017', '9223372036854775807'),
)
const addresses = ['192.0.2.1', '192.0.2.200', '203.0.113.9', '2001:db8::1', '::ffff:192.0.2.1', '::']
const networks = ['192.0.2.0/24', '192.0.2', '192.0.2.1..192.0.2.9', '2001:db8::/32', '::1..::ff', '0.0.0.0/0']
const patterns = ['a', '^a', 'b$', '(?i)AB', 'a+b', 'a.*b', '[^a]+', '(a|b)+$', 'x?', '^[a-z]*\\"?$', '\\\\b', 'a{2,3}']
const globs = ['*', 'a*', '*b', 'a*b', '*B*', 'ab', '', '\\\\**', 'a*b*c']

const fields = {
  Bytes: ['http.host', 'http.user_agent', 'http.request.headers["a"][0]', 'http.request.headers.names[1]'],
  Int: ['cf.threat_score', 'tcp.flags', 'len(http.host)', 'len(http.request.headers["b"])'],
  Ip: ['ip.src', 'cf.edge.server_ip'],
  Bool: ['ssl', 'cf.client.bot'],
}
const arrays = {
  Bytes: [
    'http.request.headers.names[*]',
    'http.request.headers[*][*]',
    'http.request.headers[*][0]',
    'http.request.headers["a"][*]',
  ],
  Int: ['cf.bot_management.detection_ids[*]', 'len(http.request.headers.names[*])[*]'],
}

const some = (names: readonly string[]) => fc.constantFrom(...names)
const orders = fc.constantFrom('eq', '==', 'ne', '!=', 'ge', '<=', 'gt', '<', 'le', 'lt')
const list = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 12 }).map((items) => `in {${items.join(' ')}}`)
const glue = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((each) => each.join(' '))

const stringField = fc.oneof(
  { weight: 4, arbitrary: some(fields.Bytes) },
  some(fields.Bytes).map((field) => `lower(${field})`),
  fc.tuple(some(fields.Bytes), quoted).map(([field, text]) => `concat(${field}, ${text})`),
  fc.tuple(some(fields.Bytes), fc.integer({ min: -3, max: 3 })).map(([field, at]) => `substring(${field}, ${at})`),
)
const stringTest = fc.oneof(
  glue(orders, quoted),
  glue(fc.constant('contains'), quoted),
  some(patterns).map((pattern) => `matches "${pattern}"`),
  glue(
    fc.constantFrom('wildcard', 'strict wildcard'),
    some(globs).map((glob) => `"${glob}"`),
  ),
  list(quoted),
  fc.constant('in $few'),
)
const intTest = fc.oneof(
  glue(orders, integers),
  glue(fc.constantFrom('&', 'bitwise_and'), integers),
  list(
    fc.oneof(
      integers,
      fc.nat(50).map((from) => `${from}..${from + 7}`),
    ),
  ),
  fc.constant('in $few'),
)
const ipTest = fc.oneof(glue(orders, some(addresses)), list(some([...addresses, ...networks])), fc.constant('in $few'))

const comparison = fc.oneof(
  glue(stringField, stringTest),
  glue(stringField, orders, stringField),
  glue(some(fields.Int), intTest),
  glue(some(fields.Int), orders, some(fields.Int)),
  glue(some(fields.Ip), ipTest),
  glue(some(fields.Ip), orders, some(fields.Ip)),
  some([...fields.Bool, 'true', 'false']),
  fc.tuple(some(fields.Bytes), quoted).map(([field, text]) => `starts_with(${field}, ${text})`),
)
const elementComparison = fc.oneof(
  glue(some(arrays.Bytes), stringTest),
  glue(some(arrays.Int), intTest),
  glue(some(arrays.Bytes), orders, some(fields.Bytes)),
)

const logicalOp = fc.constantFrom('and', '&&', 'or', '||', 'xor', '^^')
const combined = (item: fc.Arbitrary<string>) =>
  fc
    .tuple(item, fc.array(fc.tuple(logicalOp, item), { minLength: 1, maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest.flat()].join(' '))
const { elements } = fc.letrec<{ elements: string }>((tie) => ({
  elements: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    elementComparison,
    tie('elements').map((item) => `not (${item})`),
    combined(tie('elements').map((item) => `(${item})`)).map((item) => `(${item})`),
  ),
}))
const quantifier = fc.oneof(
  glue(fc.constantFrom('any(', 'all ('), elements, fc.constant(')')),
  fc
    .tuple(fc.constantFrom('any', 'all'), some(arrays.Bytes), quoted)
    .map(([op, field, text]) => `${op}(ends_with(${field}, ${text}))`),
)

/** Text of a filter over the names above. */
export const anyExpression: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 4, arbitrary: comparison },
    { weight: 2, arbitrary: quantifier },
    tie('node').map((item) => `(${item})`),
    fc.tuple(fc.constantFrom('not ', '!'), tie('node')).map(([not, item]) => `${not}(${item})`),
    { weight: 2, arbitrary: combined(tie('node')) },
  ),
})).node

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 })
const word = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'B', 'é'), maxLength: 6 }),
)

/** Values for some of those names; the others are missing. */
export const anyRequest: fc.Arbitrary<Record<string, unknown>> = fc.record({
  'http.host': maybe(word),
  'http.user_agent': maybe(word),
  'http.request.headers': maybe(fc.dictionary(fc.constantFrom('a', 'b'), fc.array(word, { maxLength: 3 }))),
  'http.request.headers.names': maybe(fc.array(word, { maxLength: 4 })),
  'cf.threat_score': maybe(fc.oneof(fc.integer({ min: -3, max: 300 }), fc.constant(2n ** 63n - 1n))),
  'tcp.flags': maybe(fc.nat(255)),
  'cf.bot_management.detection_ids': maybe(fc.array(fc.nat(20), { maxLength: 4 })),
  'ip.src': maybe(fc.constantFrom(...addresses)),
  'cf.edge.server_ip': maybe(fc.constantFrom(...addresses)),
  ssl: maybe(fc.boolean()),
  'cf.client.bot': maybe(fc.boolean()),
})
