import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accept, judgedBy, reject, sayReasons } from './judged.ts'

test('a judgement is the value, or every reason against it', () => {
  assert.deepEqual(accept(1), { ok: true, value: 1 })
  assert.deepEqual(reject('too short', { message: 'not a name', pointer: '/name' }), {
    ok: false,
    reasons: [{ message: 'too short' }, { message: 'not a name', pointer: '/name' }],
  })
})

test('the value is not even made when a reason speaks against it', () => {
  const reasons = [{ message: 'no' }]
  assert.deepEqual(
    judgedBy(reasons, () => assert.fail('made')),
    { ok: false, reasons },
  )
  assert.deepEqual(
    judgedBy([], () => 'made'),
    accept('made'),
  )
})

test('reasons are said in one sentence, in their order', () => {
  assert.equal(sayReasons([{ message: 'one' }, { message: 'two' }]), 'one; two')
})
