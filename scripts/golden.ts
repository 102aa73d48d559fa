/** What `npm run golden` does: rewrites the golden files by running the tests that own them. The diff is the review. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const owners = globSync('{src,test}/**/*.test.ts', { cwd: root }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes('UPDATE_GOLDEN'),
)
const { status } = spawnSync(process.execPath, ['--test', '--test-global-setup=test/setup.ts', ...owners], {
  cwd: root,
  env: { ...process.env, UPDATE_GOLDEN: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
