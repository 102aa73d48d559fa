import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultLimits, fullScheme, judge, schemeFor, uses } from './index.ts'

const faultOf = (text: string, ...more: [scheme?: typeof fullScheme]) => {
  const judged = judge(text, more[0] ?? fullScheme)
  assert.ok(!judged.ok, `${text} was accepted`)
  return judged.reasons[0]
}

test('a reason shows the line, the carets, what is wrong and what may have been meant', () => {
  assert.equal(
    faultOf('ssl and\n  htp.host eq "x"').message,
    'Filter parsing error (2:3):\n  htp.host eq "x"\n  ^^^^^^^^ unknown identifier\ndid you mean http.host?',
  )
})

test('errors say what was expected and point at it', () => {
  const errors: readonly (readonly [text: string, place: string, message: string])[] = [
    ['', '1:1', 'expected identifier character'],
    ['ssl and', '1:8', 'expected identifier character'],
    ['http.host\teq "a"', '1:10', 'expected ComparisonOp'],
    ['http.host EQ "a"', '1:11', 'expected ComparisonOp'],
    ['http.host eq', '1:13', 'unrecognised input'],
    ['http.host == "\\400"', '1:16', 'number too large to fit in target type while parsing with radix 8'],
    ['http.host eq r##"a"#', '1:15', 'could not find an ending quote'],
    ['http.host in {"a", "b"}', '1:18', 'invalid digit found in string while parsing with radix 16'],
    [
      'http.host wildcard r"\\b"',
      '1:20',
      'invalid wildcard: wildcard syntax error at position 0: invalid escape sequence \\b',
    ],
    ['cf.threat_score == 08', '1:20', 'invalid digit found in string while parsing with radix 8'],
    ['ip.src in {10.0.0.1/8}', '1:12', 'host part of address was not zero'],
    [
      'ip.src in {10.0.0.0/33}',
      '1:12',
      'invalid length for network: Network length 33 is too long for Ipv4 (maximum: 32)',
    ],
    ['ip.src in $Office', '1:12', 'invalid list name "O"'],
    ['http.request.headers.names[*] == "a"', '1:37', 'expected value of type Bool, but got Array<Bool>'],
    [
      'ssl and http.request.headers.names[*] == "a" and ssl',
      '1:50',
      'expected value of type Bool, but got Array<Bool>',
    ],
    ['lower(http.host, http.host) == "a"', '1:18', 'invalid number of arguments'],
    ['concat(http.host,"!",) == "a"', '1:22', 'unrecognised input'],
    ['concat(1, 2) == 3', '1:8', 'invalid type of argument #0: expected value of type Bytes or Array<_>, but got Int'],
    ['any(ssl)', '1:5', 'expected value of type Array<Bool>, but got Bool'],
    ['http.host ne ip.src', '1:14', 'expected value of type Bytes, but got Ip'],
    ['http.host eq "é" x', '1:18', 'unrecognised input'],
  ]
  for (const [text, place, message] of errors) {
    const { fault } = faultOf(text)
    assert.deepEqual([`${fault.line}:${fault.column}`, fault.message], [place, message], text)
  }
})

test('a blank expression and one that is too long have codes of their own', () => {
  assert.deepEqual([faultOf('  \n').code, faultOf('  \n').message], [20125, 'the expression cannot be blank'])
  const long = `http.host eq "${'x'.repeat(5000)}"`
  assert.deepEqual(
    [faultOf(long).code, faultOf(long).message],
    [20127, `expression size ${long.length} exceeded maximum 4096`],
  )
})

test('limits are settings', () => {
  const refused = (text: string, limit: Partial<typeof defaultLimits>) =>
    !judge(text, fullScheme, 'bool', { ...defaultLimits, ...limit }).ok
  assert.ok(refused('((ssl))', { nesting: 1 }))
  assert.ok(refused('lower(lower(http.host)) eq "a"', { nesting: 1 }))
  assert.ok(refused('not not ssl', { nesting: 1 }))
  assert.ok(refused('http.host in {"a" "b"}', { setSize: 1 }))
  assert.ok(refused('http.host ~ "a" or http.host ~ "b"', { regexes: 1 }))
  assert.ok(refused('http.host ~ "[a-z]{500}"', { regexBytes: 1000 }))
  assert.ok(refused('http.host wildcard "*a*"', { wildcardStars: 1 }))
  assert.ok(refused('ssl or ssl', { length: 5 }))
})

test('nesting bombs are refused, whatever they are made of', () => {
  const wide = { ...defaultLimits, length: 1_000_000 }
  for (const bomb of ['('.repeat(400_000), '!'.repeat(400_000), 'lower('.repeat(60_000), 'any('.repeat(90_000)]) {
    const judged = judge(bomb, fullScheme, 'bool', wide)
    assert.ok(!judged.ok && judged.reasons[0].fault.message === 'maximum nesting depth exceeded (limit: 128)')
  }
})

test('a place decides which names may be used, and the refusal says why', () => {
  const filter = schemeFor({ phase: 'http_request_firewall_custom', stage: 'request', use: 'filter', scope: 'zone' })
  const refusals = {
    'http.response.code eq 200':
      'the use of field http.response.code is not allowed: it has a value only in response phases',
    'cf.zone.plan eq "ENT"':
      'the use of field cf.zone.plan is not allowed: it may be read only in rulesets of an account',
    'cf.colo.id eq 1': 'the use of field cf.colo.id is not allowed: it is a rate limit characteristic only',
    'tcp.flags.syn': 'the use of field tcp.flags.syn is not allowed: it has a value only in network phases',
    'to_string(cf.threat_score) eq "0"':
      'the use of function to_string is not allowed: it exists only in rewrite and redirect expressions',
    'split(http.host, ".", 2)[0] eq "a"':
      'the use of function split is not allowed: it exists only in http_response_headers_transform, http_custom_errors',
  }
  for (const [text, message] of Object.entries(refusals)) assert.equal(faultOf(text, filter).fault.message, message)
  assert.ok(judge('cf.zone.plan eq "ENT"', schemeFor({ scope: 'account', use: 'filter' })).ok)
  assert.ok(judge('http.response.code eq 200 and ssl', schemeFor({ stage: 'response', use: 'filter' })).ok)
  assert.ok(judge('tcp.flags.syn and ip.src in $office', schemeFor({ stage: 'network', use: 'filter' })).ok)
})

test('value expressions give a value and hold no comparison', () => {
  const value = schemeFor({ phase: 'http_request_dynamic_redirect', stage: 'request', use: 'value' })
  assert.ok(judge('concat("https://", http.host, http.request.uri.path)', value, 'string').ok)
  assert.ok(judge('"/static"', value, 'string').ok)
  assert.ok(judge('ip.src', value, 'any').ok)
  assert.equal(judge('ip.src', value, 'string').ok, false)
  assert.equal(judge('http.host eq "a"', value, 'string').ok, false)
  assert.equal(judge('http.request.headers.names[*]', value, 'any').ok, false)
  const twice = 'concat(regex_replace(http.host, "a", "b"), wildcard_replace(http.host, "*", "c"))'
  assert.equal(judge(twice, value, 'string').ok, false)
  assert.equal(judge('regex_replace(http.host, "(", "b")', value, 'string').ok, false)
  assert.equal(judge('regex_replace(http.host, "a", "$1")', value, 'string').ok, false)
})

test('an expression tells what it uses', () => {
  const judged = judge(
    'lower(http.host) eq raw.http.request.uri.path or any(http.request.headers.names[*] in $names)',
    fullScheme,
  )
  assert.ok(judged.ok)
  const used = uses(judged.value)
  assert.deepEqual([...used.fields], ['http.host', 'raw.http.request.uri.path', 'http.request.headers.names'])
  assert.deepEqual([[...used.functions], [...used.lists]], [['lower'], ['names']])
})

/** Pieces of expressions, so that random texts get past the first word. */
const pieces = [
  ...['http.host', 'ip.src', 'ssl', 'cf.threat_score', 'http.request.headers', 'http.request.headers.names', 'true'],
  ...['lower(', 'any(', 'all(', 'concat(', 'len(', 'has_key(', 'regex_replace(', 'split('],
  ...[
    ' eq ',
    '==',
    '!=',
    ' in {',
    '}',
    '$list',
    ' contains ',
    ' matches ',
    '~',
    ' wildcard ',
    ' strict wildcard ',
    '&',
  ],
  ...[
    '"',
    'r#"',
    '"#',
    '\\x41',
    '\\',
    '(?i)',
    '[a-z]',
    '{2,3}',
    '*',
    '+',
    '|',
    '(',
    ')',
    '[',
    ']',
    '[*]',
    '[0]',
    '["k"]',
  ],
  ...['1', '0x1f', '-9', '..', '192.0.2.0/24', '2001:db8::1', 'aa:bb', ',', ' ', '\n', '\t', 'é', '😢', '\u0000'],
  ...[' and ', ' or ', ' xor ', 'not ', '!', '&&', '||', '^^'],
]
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
)

test('any text is either an expression or a reason whose span lies inside it', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('bool', 'string', 'any'), (text, want) => {
      const judged = judge(text, fullScheme, want as 'bool')
      if (judged.ok) return
      const [{ fault }] = judged.reasons
      assert.ok(fault.offset >= 0 && fault.offset <= text.length)
      assert.ok(fault.line >= 1 && fault.line <= text.split('\n').length && fault.column >= 1 && fault.length >= 1)
    }),
    { numRuns: 20_000 },
  )
})
