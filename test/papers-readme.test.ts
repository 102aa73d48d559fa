/** The sixty seconds of the README, typed in as they stand, by npm's own `npm` and `npx`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf, commandsOf, freePorts, openDesk, paper, runPaper } from './paper.ts'

test('the README does what it shows', { timeout: 175_000 }, async (t) => {
  const blocks = blocksOf(paper('README.md'))
  const stead = await freePorts([8787])
  const desk = await openDesk({ stead, environment: { SPILLWAY_EXPORT_INTERVAL_SECONDS: '1' }, npx: 'real' })
  try {
    await runPaper(t, desk, blocks)
    assert.deepEqual(desk.ran, blocks.flatMap(commandsOf))
  } finally {
    await desk.leave()
  }
})
