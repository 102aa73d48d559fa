/**
 * A long fuzz of the whole API from its OpenAPI document, against a service in a process of its own:
 * `node scripts/fuzz-api.ts [--requests 100000] [--seed N] [--database sqlite|postgres]`. No answer may be a 5xx or break
 * the envelope, none may hang, and the process must live and stay small. A failure prints its seed and smallest request.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from '../test/fuzz/drive.ts'
import { freePort, freshPostgres } from '../test/postgres.ts'
import { firstRunOf, serve, untilReady } from '../test/serve.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    database: { type: 'string', default: 'sqlite' },
  },
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
/** Of the API's own process; the record engine is a child with a cap of its own. */
const mostMemory = 1024

const data = await mkdtemp(join(tmpdir(), 'spillway-fuzz-'))
const postgres = values.database === 'postgres' ? await freshPostgres() : undefined
const port = await freePort()
// Whatever a drawn destination names, nothing leaves the machine.
const nowhere = 'http://127.0.0.1:9'
const serving = serve({
  SPILLWAY_DATA: data,
  SPILLWAY_PORT: String(port),
  SPILLWAY_RATE_LIMIT: '1000000000',
  SPILLWAY_OWNERSHIP: 'storage',
  SPILLWAY_FILE_ROOT: join(data, 'exports'),
  SPILLWAY_FETCH_MIN_AGE_SECONDS: '0',
  SPILLWAY_LOG_LEVEL: 'error',
  SPILLWAY_S3_ENDPOINT: nowhere,
  SPILLWAY_GCS_ENDPOINT: nowhere,
  SPILLWAY_AZURE_ENDPOINT: nowhere,
  ...(postgres ? { SPILLWAY_DATABASE_URL: postgres.url } : {}),
})
const memory = async (): Promise<number> => {
  const status = await readFile(`/proc/${serving.pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}

const began = performance.now()
const seconds = () => ((performance.now() - began) / 1000).toFixed(0)
let isGood = false
try {
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  const { email, key } = await firstRunOf(data)
  console.log(`fuzzing with ${requests} requests, seed ${seed}, on ${values.database}`)
  let largest = 0
  const heard = async (sent: number) => {
    const now = await memory()
    largest = Math.max(largest, now)
    if (sent % 10_000 === 0) console.log(`${String(sent).padStart(7)} sent, ${seconds()} s, ${now} MB`)
  }
  const report = await fuzz({ url, email, key }, { requests, seed, heard })
  const isAlive = (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true
  const never = [...report.succeeded].filter(([, times]) => times === 0).map(([operation]) => operation)
  console.log(
    [...report.byStatus]
      .sort()
      .map(([status, count]) => `${status}: ${count}`)
      .join('   '),
  )
  console.log(
    `${report.succeeded.size - never.length} of ${report.succeeded.size} operations also succeeded${never.length > 0 ? `; never: ${never.join(', ')}` : ''}`,
  )
  console.log(`slowest ${report.slowestMs.toFixed(0)} ms, at most ${largest} MB, ${seconds()} s`)
  for (const { complaint, request } of report.failures) console.error(`\n${complaint}\n${request}`)
  if (!isAlive) console.error(`the service is not ready any more:\n${serving.said()}`)
  if (largest > mostMemory) console.error(`it grew to ${largest} MB, more than ${mostMemory}`)
  if (report.failures.length > 0) console.error(`\nits log:\n${serving.said().slice(-4_000)}`)
  isGood = report.failures.length === 0 && isAlive && largest <= mostMemory
  console.log(isGood ? 'no 5xx, no hang, the envelope always' : 'NOT GOOD')
} finally {
  await serving.kill('SIGTERM')
  await postgres?.drop()
  await rm(data, { recursive: true, force: true })
}
process.exitCode = isGood ? 0 : 1
