/** The command line. */
export { type Command, helpOf, type Terminal } from './command.ts'
export { commands } from './commands/index.ts'
export { run } from './run.ts'
