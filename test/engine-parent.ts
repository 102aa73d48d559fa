/** A process that starts an engine and waits to be killed; see engine.test.ts. */
import { makeLog } from '../src/base/index.ts'
import { startEngine } from '../src/engine/index.ts'

await startEngine({ log: makeLog('silent') }, { directory: process.argv[2] ?? '' })
process.send?.('ready')
