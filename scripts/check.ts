/**
 * What `npm run check` does: all that must hold before a change is handed on, in the order that fails fastest. It stops at
 * the first failure. `npm run check -- --no-tests` leaves the tests out, for whoever has just run them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { generated } from './generate.ts'

const root = join(import.meta.dirname, '..')

/** A step says nothing when all is well, and otherwise everything. */
type Step = readonly [name: string, run: () => string | undefined]

const program = (...words: string[]) => {
  const [name = '', ...args] = words
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', name), args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  return status === 0 ? undefined : `${stdout}${stderr}`
}

const steps: readonly Step[] = [
  ['format and lint', () => program('biome', 'check')],
  ['rooms and doors', () => program('depcruise', '--config', '.dependency-cruiser.mjs', 'src')],
  ['unused code', () => program('knip')],
  ['generated files', staleFiles],
  ['types', () => program('tsc', '-p', '.')],
  ['types, console', () => program('tsc', '-p', 'console')],
  ['tests', () => spawnTests()],
]

function staleFiles(): string | undefined {
  const stale = generated().filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
  return stale.length === 0
    ? undefined
    : `${stale.map(([path]) => `${relative(root, path)} is not what the code says`).join('\n')}\nnpm run generate writes them.`
}

function spawnTests(): string | undefined {
  const { status, stdout } = spawnSync('npm', ['test', '--silent'], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 })
  return status === 0 ? undefined : stdout
}

for (const [name, run] of steps) {
  if (name === 'tests' && process.argv.includes('--no-tests')) continue
  const start = Date.now()
  const trouble = run()
  console.log(`${trouble === undefined ? '✔' : '✖'} ${name.padEnd(16)} ${((Date.now() - start) / 1000).toFixed(1)} s`)
  if (trouble === undefined) continue
  console.error(`\n${trouble.trim()}`)
  process.exit(1)
}
