/** Takes the README's pictures anew: runs the journeys of the console and keeps two of the pictures they take. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const kept = ['job', 'rule-caret']

const pictures = mkdtempSync(join(tmpdir(), 'spillway-pictures-'))
const { status } = spawnSync(
  process.execPath,
  ['--test', 'test/console-jobs.test.ts', 'test/console-rulesets.test.ts'],
  {
    cwd: root,
    env: { ...process.env, SPILLWAY_SCREENSHOTS: pictures },
    stdio: 'inherit',
  },
)
if (status !== 0) process.exit(1)
mkdirSync(join(root, 'docs/screenshots'), { recursive: true })
for (const name of kept) copyFileSync(join(pictures, `${name}.png`), join(root, `docs/screenshots/${name}.png`))
rmSync(pictures, { recursive: true })
