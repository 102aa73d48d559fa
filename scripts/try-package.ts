/**
 * What `npm run try-package` does: packs, installs the tarball into an empty directory from the registry, and uses it there as
 * a stranger would, until the demo has delivered its first object. Needs the registry and about a minute.
 */
import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../test/postgres.ts'

const root = join(import.meta.dirname, '..')
const place = mkdtempSync(join(tmpdir(), 'spillway-installed-'))
const home = join(place, 'app')

/** Node 24 first on the path, and nothing of the checkout besides. */
const environment = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }

function run(directory: string, name: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(name, words, { cwd: directory, env: environment, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} ${words.join(' ')} ended with ${status}\n${stdout}${stderr}`)
  return stdout.trim()
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > 120_000) throw new Error(`${what}: not in two minutes`)
    await wait(200)
  }
  console.log(`✔ ${what} after ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

const isReady = async (url: string): Promise<boolean> => {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined)
  return answer?.ok ?? false
}

type Packed = {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly entryCount: number
}

try {
  const [packed] = JSON.parse(run(root, 'npm', 'pack', '--json', '--silent', '--pack-destination', place)) as Packed[]
  if (!packed) throw new Error('npm pack made nothing')
  console.log(`✔ packed: ${packed.entryCount} files, ${packed.size} bytes, ${packed.unpackedSize} unpacked`)

  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  run(home, 'npm', 'install', '--no-audit', '--no-fund', join(place, packed.filename))
  console.log(`✔ installed: ${globSync('node_modules/{*,@*/*}/package.json', { cwd: home }).length} packages`)
  console.log(`✔ npx spillway --version: ${run(home, 'npx', 'spillway', '--version')}`)

  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const exports = join(home, 'data/exports')
  const demo = {
    SPILLWAY_PORT: String(port),
    SPILLWAY_DEMO: '1',
    SPILLWAY_FILE_ROOT: exports,
    SPILLWAY_LOG_LEVEL: 'warn',
  }
  const serving = spawn('npx', ['spillway', 'serve'], {
    cwd: home,
    env: { ...environment, ...demo },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  try {
    await until('ready', () => isReady(url))
    await until('a first object', () => globSync('demo/**/*.log.gz', { cwd: exports }).length > 0)
    console.log(run(home, 'npx', 'spillway', 'jobs', 'list'))
  } finally {
    // The group: npx starts a shell, which starts the service.
    if (serving.pid !== undefined) process.kill(-serving.pid, 'SIGINT')
    await until('stopped', () => serving.exitCode !== null || serving.signalCode !== null)
  }
} finally {
  rmSync(place, { recursive: true, force: true })
  rmSync(join(root, 'dist'), { recursive: true, force: true })
}
