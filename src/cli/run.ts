/** Finds the command a line means, runs it, and turns whatever happens into a sentence and an exit code. */
import { Refused } from '../contract/index.ts'
import { version } from '../version.ts'
import { type Command, CommandError, columns, helpOf, readFlags, type Terminal, UsageError } from './command.ts'
import { commands } from './commands/index.ts'

/** 0 done, 1 refused or failed, 2 called wrongly. */
export async function run(terminal: Terminal, argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && ['--version', '-V', 'version'].includes(argv[0] ?? '')) {
    terminal.out(version)
    return 0
  }
  const found = findCommand(argv)
  if (!found) return helpFor(terminal, argv)
  const { command, rest } = found
  try {
    const { given, words } = readFlags(command, rest)
    if (given.help) {
      terminal.out(helpOf(command))
      return 0
    }
    return (await command.run(terminal, given, words)) ?? 0
  } catch (error) {
    return explain(terminal, command, error)
  }
}

function findCommand(argv: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(' ')
    const command = commands.find((one) => one.name === name)
    if (command) return { command, rest: argv.slice(words) }
  }
  return undefined
}

/** The list of commands, or of those that begin with the first word; a word that leads to none is said. */
function helpFor(terminal: Terminal, words: readonly string[]): number {
  const [first, second] = words.filter((word) => !['help', '--help', '-h'].includes(word))
  const group = commands.filter((one) => one.name.split(' ')[0] === first)
  const shown = group.length > 0 ? group : commands
  const text = `Usage: spillway <command> [flags]\n\n${columns(shown.map((one) => [one.name, one.says]))}\n\nspillway <command> --help says more about one.`
  if (first === undefined || (group.length > 0 && second === undefined)) {
    terminal.out(text)
    return 0
  }
  terminal.err(`spillway: there is no command "${group.length > 0 ? `${first} ${second}` : first}"\n\n${text}`)
  return 2
}

function explain(terminal: Terminal, command: Command, error: unknown): number {
  if (error instanceof UsageError) {
    terminal.err(`spillway ${command.name}: ${error.message}\nTry: spillway ${command.name} --help`)
    return 2
  }
  if (error instanceof CommandError) {
    terminal.err(`spillway: ${error.message}`)
    return 1
  }
  if (error instanceof Refused) {
    for (const { code, message, source } of error.errors) {
      terminal.err(`spillway: ${message}${source ? ` (at ${source.pointer})` : ''} [${code}]`)
    }
    if (error.status >= 500) terminal.err(`request id ${error.requestId}`)
    return 1
  }
  if (error instanceof TypeError && error.message === 'fetch failed') {
    const { code, message } = (error.cause ?? {}) as { code?: string; message?: string }
    terminal.err(
      `spillway: the service cannot be reached (${code ?? message}); is it running? "npm start" starts one here`,
    )
    return 1
  }
  throw error
}
