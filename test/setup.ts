/** Before the first test file: the console built, and one PostgreSQL for all of them. After the last: gone. */
import { join } from 'node:path'
import { buildConsole } from '../scripts/build-console.ts'
import { startPostgres } from './postgres.ts'

let server: Awaited<ReturnType<typeof startPostgres>> | undefined

export async function globalSetup(): Promise<void> {
  // Some two hundred processes load the same modules: compiled once, each starts 0.7 CPU-seconds sooner.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compile')
  await buildConsole()
  if (process.env.SPILLWAY_TEST_POSTGRES_URL) return
  server = await startPostgres()
  process.env.SPILLWAY_TEST_POSTGRES_URL = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
