/** What `npm start` does: the service with embedded defaults, files allowed below the data directory, and the demo on. */
import { join } from 'node:path'
import { buildConsole } from './build-console.ts'

process.env.SPILLWAY_DEMO ??= '1'
process.env.SPILLWAY_FILE_ROOT ??= join(process.env.SPILLWAY_DATA ?? './data', 'exports')
process.env.SPILLWAY_LOG_LEVEL ??= 'warn'
await buildConsole()
process.argv.splice(2, Number.POSITIVE_INFINITY, 'serve')
await import('../src/main.ts')
