/** What providers say, and what of it we repeat. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cleanReason, readAnswer } from './exchange.ts'

const reasonFor = (body: string): string => {
  const outcome = readAnswer({ status: 403, headers: {}, body }, new Date(0))
  return outcome.outcome === 'refused' ? outcome.reason : assert.fail()
}

test('the sentence is found in what each provider wraps it in', () => {
  const said: [string, string][] = [
    [
      '<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>No bucket.</Message></Error>',
      'NoSuchBucket: No bucket.',
    ],
    ['{"error":{"code":403,"message":"Permission denied"}}', 'Permission denied'],
    ['{"text":"Invalid token","code":4}', 'Invalid token'],
    ['{"message":"Forbidden"}', 'Forbidden'],
    ['{"error":"quota"}', 'quota'],
    ['plain words', 'plain words'],
    ['[1,2]', '[1,2]'],
    ['null', 'null'],
  ]
  for (const [body, sentence] of said) assert.equal(reasonFor(body), `answered 403: ${sentence}`)
  for (const body of ['', '<html><body>Forbidden</body></html>', '  <!doctype html>'])
    assert.equal(reasonFor(body), 'answered 403')
})

test('a reason is one short line whatever was sent', () => {
  const reason = cleanReason(`a\r\nb\u0000\u001b[31mc\u2028d${'x'.repeat(10_000)}`, [])
  assert.match(reason, /^a b \[31mc dx+…$/)
  assert.equal(reason.length, 301)
})

test('no secret of four letters or more survives, however it is spelled', () => {
  const secret = fc.string({ minLength: 4, unit: 'binary-ascii' }).filter((text) => text.trim().length >= 4)
  fc.assert(
    fc.property(secret, fc.string(), (hidden, around) => {
      const spelled = [hidden, encodeURIComponent(hidden), JSON.stringify(hidden)].join(' ')
      const cleaned = cleanReason(`${around}${spelled}`, [hidden])
      assert.ok(!cleaned.replaceAll('****', '\u0000').includes(hidden), cleaned)
    }),
  )
})
