/** What `spillway` runs: the command line, on the real terminal. */
import { run } from './cli/index.ts'

const asked = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => asked.abort())

// A reader that stops reading (`spillway audit | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await run(
  {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    isTerminal: process.stdout.isTTY === true,
    hasColours: process.stdout.isTTY === true && process.stdout.hasColors(),
    columns: process.stdout.columns ?? 100,
    input: process.stdin,
    signal: asked.signal,
  },
  process.argv.slice(2),
)
