import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterSiege } from '../bench/siege-cluster.ts'
import { faultsOf, tellSiege } from '../bench/siege-judge.ts'

test('exporters that are killed again and again beside each other, with PostgreSQL restarted, lose nothing and double no object', async (t) => {
  const report = await clusterSiege({
    kills: 4,
    restarts: 1,
    // Of the process that takes records in the long form only, `npm run siege -- --cluster`: its death costs two minutes.
    killsIngest: false,
    seed: 11,
    lifeMs: [300, 1_200],
    writers: 2,
    linesPerBatch: 40,
    catchUpMs: 90_000,
    say: (line) => t.diagnostic(line),
  })
  t.diagnostic(tellSiege(report))
  assert.ok(report.acknowledged > 0)
  assert.deepEqual(faultsOf(report), [])
})
