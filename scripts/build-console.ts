/**
 * Builds the console into console/dist when that is missing or older than its sources. `npm ci` runs it at its end
 * (`prepare`), `npm start` and the tests of the console before they begin; it needs no network.
 */
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const sources = [
  'console/index.html',
  'console/vite.config.ts',
  'console/src/**/*',
  'src/contract/*.ts',
  'package-lock.json',
]

/** False when it was fresh already, or when the builder is not installed (`npm ci --omit=dev`). */
export async function buildConsole(): Promise<boolean> {
  if (isFresh()) return false
  const vite = await import('vite').catch(() => undefined)
  if (!vite) {
    process.stderr.write('The console was not built: vite is a development dependency and is not installed.\n')
    return false
  }
  await vite.build({ root: join(root, 'console'), configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' })
  return true
}

function isFresh(): boolean {
  const index = join(root, 'console/dist/index.html')
  if (!existsSync(index)) return false
  const builtAt = statSync(index).mtimeMs
  return globSync(sources, { cwd: root }).every((name) => statSync(join(root, name)).mtimeMs <= builtAt)
}

if (import.meta.main) await buildConsole()
