/** Before the first test file: the console built, Chromium unpacked, one PostgreSQL for all of them. After the last: gone. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../scripts/build-console.ts'
import { unpackChromium } from './chromium.ts'
import { startPostgres } from './postgres.ts'

const started: (() => Promise<unknown> | unknown)[] = []

export async function globalSetup(): Promise<void> {
  // Some two hundred processes load the same modules: compiled once, each starts 0.7 CPU-seconds sooner.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compile')
  const memory = directoryInMemory()
  if (memory) {
    process.env.TMPDIR = memory
    started.push(() => rmSync(memory, { recursive: true, force: true }))
  }
  await Promise.all([buildConsole(), unpackChromium(), providePostgres()])
}

export async function globalTeardown(): Promise<void> {
  for (const end of started.reverse()) await end()
}

async function providePostgres(): Promise<void> {
  if (process.env.SPILLWAY_TEST_POSTGRES_URL) return
  const server = await startPostgres()
  process.env.SPILLWAY_TEST_POSTGRES_URL = server.url
  started.push(server.stop)
}

// The whole suite had 244 MB there at most; on machines that have so much room it takes it from nobody.
const roomBytes = 2e9

/**
 * Where the machine keeps files in memory, nobody waits for its disk: every house syncs some hundred files until it stands,
 * and starts in half the time. Undefined where there is no such place, or it is small, or programs may not be run in it.
 */
function directoryInMemory(): string | undefined {
  const files = '/dev/shm'
  if (process.env.TMPDIR || !existsSync(files)) return undefined
  const { bavail, bsize } = statfsSync(files)
  if (bavail * bsize < roomBytes) return undefined
  // What a killed run left behind would hold its memory until the machine is started anew.
  for (const name of globSync('spillway-tests-*-*', { cwd: files }))
    if (!existsSync(`/proc/${name.split('-')[2]}`)) rmSync(join(files, name), { recursive: true, force: true })
  const directory = mkdtempSync(join(files, `spillway-tests-${process.pid}-`))
  // As open as /tmp: PostgreSQL and nginx run as users of their own.
  chmodSync(directory, 0o1777)
  const program = join(directory, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  if (spawnSync(program).status === 0) return directory
  rmSync(directory, { recursive: true })
  return undefined
}
