import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { emit } from './emit.ts'
import { judgeRegex, type Regex, regexFind, regexTest } from './index.ts'

const limit = 1024 * 1024
const regex = (pattern: string): Regex => {
  const judged = judgeRegex(pattern, limit)
  assert.ok(!('problem' in judged), 'problem' in judged ? judged.problem : '')
  return judged as Regex
}
const matches = (pattern: string, value: string): boolean => regexTest(regex(pattern)).test(value)

test('a pattern that is wrong says what is wrong with it and where', () => {
  const wrong: Record<string, string> = {
    '(a': 'unclosed group',
    'a)': 'unopened group',
    '[a': 'unclosed character class',
    '[z-a]': 'invalid character class range, the start must be <= the end',
    '[\\d-z]': 'invalid range boundary, must be a literal',
    '[\\b]': 'invalid escape sequence found in character class',
    '*a': 'repetition operator missing expression',
    '(?i)*': 'repetition operator missing expression',
    'a{': 'unclosed counted repetition',
    'a{2': 'unclosed counted repetition',
    'a{x}': 'repetition quantifier expects a valid decimal',
    'a{3,2}': 'invalid repetition count range, the start must be <= the end',
    '(a)\\1': 'backreferences are not supported',
    'a(?=b)': 'look-around, including look-ahead and look-behind, is not supported',
    '(?<!b)a': 'look-around, including look-ahead and look-behind, is not supported',
    '\\y': 'unrecognized escape sequence',
    'a\\': 'incomplete escape sequence, reached end of pattern prematurely',
    '\\xg1': 'invalid hexadecimal digit',
    '\\x{}': 'hexadecimal literal empty',
    '(?z)a': 'unrecognized flag',
    '(?ii)a': 'duplicate flag',
    '(?i-)a': 'dangling flag negation operator',
    '(?P<>a)': 'empty capture group name',
    '(?P<a>b)(?P<a>c)': 'duplicate capture group name',
    '(?P<a': 'unclosed capture group name',
    é: 'Unicode not allowed here',
    '\\p{L}': 'Unicode not allowed here',
  }
  for (const [pattern, why] of Object.entries(wrong)) {
    const judged = judgeRegex(pattern, limit)
    assert.ok('problem' in judged, `${pattern} was accepted`)
    assert.equal(judged.problem.split('\n').at(-1), `error: ${why}`, pattern)
  }
  const judged = judgeRegex('ab(cd', limit)
  assert.equal('problem' in judged && judged.problem, 'regex parse error:\n    ab(cd\n      ^\nerror: unclosed group')
})

test('a pattern whose program would be too large is refused', () => {
  for (const pattern of ['(a{1000}){1000}', '.{4079,65535}', '((a{50}){50}){50}', 'a{4294967295}']) {
    assert.deepEqual(judgeRegex(pattern, limit), { problem: `Compiled regex exceeds size limit of ${limit} bytes.` })
  }
})

test('flags, classes and anchors mean what they mean in the syntax of Rust', () => {
  assert.equal(matches('(?i)straße|ABC'.replace('ß', 's'), 'xabcx'), true)
  assert.equal(matches('a(?i)b|c', 'C'), true)
  assert.equal(matches('(?i:a)b', 'AB'), false)
  assert.equal(matches('(?m)^b$', 'a\nb\nc'), true)
  assert.equal(matches('(?m)^b$', 'a\rb\rc'), false)
  assert.equal(matches('^b$', 'a\nb'), false)
  assert.equal(matches('a.b', 'a\nb'), false)
  assert.equal(matches('(?s)a.b', 'a\nb'), true)
  assert.equal(matches('(?x) a b # comment', 'ab'), true)
  assert.equal(matches('^[a-c&&[^b]]+$', 'acca'), true)
  assert.equal(matches('^[a-c--b]+$', 'abc'), false)
  assert.equal(matches('^[a-c~~b-d]+$', 'ad'), true)
  assert.equal(matches('^[]a]+$', ']a'), true)
  assert.equal(matches('^[[:^digit:]]+$', 'ab'), true)
  assert.equal(matches('\\d', '٣'), false)
  assert.equal(matches('^\\xff$', '\xff'), true)
  assert.equal(matches('a{2}{3}', 'a'.repeat(6)), true)
  assert.equal(matches('', ''), true)
  assert.equal(matches('[a&&b]', 'ab'), false)
})

test('plain text is searched natively, safe patterns run on V8, all others on RE2', () => {
  const engines: Record<string, string> = {
    Googlebot: 'search',
    '^/api/': 'search',
    '\\.php$': 'search',
    '(?i)googlebot/\\d+\\.\\d+': 'v8',
    '(bot|crawl|spider)': 'v8',
    '.*bot.*': 'search',
    '^/api/.*\\.php$': 'v8',
    '^[^/]+/[0-9]{1,3}/': 'v8',
    '\\d{1,3}(\\.\\d{1,3}){3}': 'v8',
    'foo.*bar': 're2',
    '(a+)+$': 're2',
    '(a|a)*b': 'search',
    '^(a|a)*b': 're2',
    '[a-z]+x$': 'v8',
    'a[a-z]+x$': 're2',
    '^.*a.*b$': 're2',
    '(a?){30}a{30}': 're2',
  }
  for (const [pattern, engine] of Object.entries(engines))
    assert.equal(regexTest(regex(pattern)).engine, engine, pattern)
})

test('no pattern makes a long value slow', () => {
  const bombs = [
    '(a+)+$',
    '(a|aa)+$',
    '(a*)*b',
    'a*a*a*a*b',
    '(.*)(.*)(.*)x',
    '(a?){30}a{30}b',
    '(x+x+)+y',
    '^(a|b)*c',
    '[a-z]+[a-z0-9]+!',
    '\\d+\\.\\d+x',
  ]
  const values = [
    'a'.repeat(100_000),
    'ab'.repeat(50_000),
    'x'.repeat(100_000),
    '1'.repeat(100_000),
    '1.'.repeat(50_000),
  ]
  for (const pattern of bombs) {
    const { test: isMatch } = regexTest(regex(pattern))
    const began = performance.now()
    for (const value of values) isMatch(value)
    const took = performance.now() - began
    assert.ok(took < 3000, `${pattern} took ${took.toFixed(0)} ms`)
  }
})

const atom = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '(?:ab)',
  '(?:a|b)',
  '(?:a|ab)',
  '(b*)',
  '^',
  '$',
  '\\b',
)
const sign = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?')
const piece = fc.tuple(atom, sign).map((parts) => parts.join(''))
const anyPattern = fc
  .array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 2 })
  .map((branches) => branches.map((each) => each.join('')).join('|'))
const anyValue = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '\n', '\xe9'), maxLength: 12 })

test('whichever engine runs a pattern, its answers are those of RE2', () => {
  fc.assert(
    fc.property(
      anyPattern,
      fc.boolean(),
      fc.array(anyValue, { minLength: 1, maxLength: 4 }),
      (pattern, ignoreCase, values) => {
        const parsed = regex(ignoreCase ? `(?i)${pattern}` : pattern)
        const { test: isMatch } = regexTest(parsed)
        const find = regexFind(parsed)
        const re2 = RE2JS.compile(emit(parsed.root!, 're2'))
        for (const value of values) {
          const matcher = re2.matcher(value)
          const found = matcher.find()
          assert.equal(isMatch(value), found, `${pattern} on ${JSON.stringify(value)}`)
          const match = find(value)
          assert.deepEqual(
            match && [match.from, match.to],
            found ? [matcher.start(), matcher.end()] : undefined,
            pattern,
          )
        }
      },
    ),
    { numRuns: 3000 },
  )
})
