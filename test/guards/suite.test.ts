/** What the whole suite says of itself when something fails. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('a suite with one test that fails ends with 1, and one without ends with 0', () => {
  const directory = mkdtempSync(join(tmpdir(), 'spillway-suite-'))
  // As npm test starts it, with a PostgreSQL of its own, and not as a part of this run.
  const { SPILLWAY_TEST_POSTGRES_URL: _, NODE_TEST_CONTEXT: __, ...environment } = process.env
  const endOf = (body: string) => {
    const file = join(directory, 'one.test.mjs')
    writeFileSync(file, `import { test } from 'node:test'\ntest('one', () => { ${body} })\n`)
    const words = ['--test', `--test-global-setup=${join(root, 'test/setup.ts')}`, file]
    return spawnSync(process.execPath, words, { env: environment, stdio: 'ignore' }).status
  }
  try {
    assert.deepEqual([endOf("throw new Error('no')"), endOf('')], [1, 0])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
