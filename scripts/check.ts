/**
 * What `npm run check` does: all that must hold before a change is handed on. What only reads the sources runs at once, the
 * tests after it; it stops at the first failure. `npm run check -- --no-tests` leaves the tests out, for whoever has just
 * run them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '..')
const running = new Set<ChildProcess>()

/** A step says nothing when all is well, and otherwise everything. */
type Step = readonly [name: string, run: () => Promise<string | undefined>]

const tool = (name: string, ...args: string[]) => program(join(root, 'node_modules/.bin', name), ...args)

const readers: readonly Step[] = [
  ['format and lint', () => tool('biome', 'check')],
  ['rooms and doors', () => tool('depcruise', '--config', '.dependency-cruiser.mjs', 'src')],
  ['unused code', () => tool('knip')],
  ['types', () => tool('tsc', '-p', '.')],
  ['types, console', () => tool('tsc', '-p', 'console')],
  ['generated files', staleFiles],
]
const tests: Step = ['tests', () => program('npm', 'test', '--silent')]

async function program(name: string, ...args: string[]): Promise<string | undefined> {
  const child = spawn(name, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  running.delete(child)
  return child.exitCode === 0 ? undefined : `${out}${err}`
}

async function staleFiles(): Promise<string | undefined> {
  const { generated } = await import('./generate.ts')
  const stale = generated().filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
  return stale.length === 0
    ? undefined
    : `${stale.map(([path]) => `${relative(root, path)} is not what the code says`).join('\n')}\nnpm run generate writes them.`
}

async function see([name, run]: Step): Promise<void> {
  const start = Date.now()
  const trouble = await run()
  // Ended because another step had failed, which is told.
  if (process.exitCode === 1) return
  console.log(`${trouble === undefined ? '✔' : '✖'} ${name.padEnd(16)} ${((Date.now() - start) / 1000).toFixed(1)} s`)
  if (trouble === undefined) return
  console.error(`\n${trouble.trim()}`)
  process.exitCode = 1
  for (const child of running) child.kill()
}

await Promise.all(readers.map(see))
if (process.exitCode !== 1 && !process.argv.includes('--no-tests')) await see(tests)
