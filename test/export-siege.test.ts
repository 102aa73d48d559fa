import assert from 'node:assert/strict'
import { test } from 'node:test'
import { siege } from '../bench/siege.ts'
import { faultsOf, tellSiege } from '../bench/siege-judge.ts'

test('a service that is killed again and again, amid failing endpoints, loses nothing and doubles no object', async (t) => {
  const report = await siege({
    kills: 3,
    seed: 7,
    lifeMs: [300, 1_500],
    writers: 2,
    linesPerBatch: 40,
    catchUpMs: 60_000,
    say: (line) => t.diagnostic(line),
  })
  t.diagnostic(tellSiege(report))
  assert.ok(report.acknowledged > 0)
  assert.deepEqual(faultsOf(report), [])
})
