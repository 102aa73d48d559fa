/** Finds the command a line means, runs it, and turns whatever happens into a sentence and an exit code. */
import { Refused } from '../contract/index.ts'
import { version } from '../version.ts'
import {
  type Command,
  CommandError,
  columns,
  helpOf,
  readFlags,
  refuseMoreWords,
  type Terminal,
  UsageError,
} from './command.ts'
import { commands } from './commands/index.ts'
import { nearest } from './nearest.ts'

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
      terminal.out(helpOf(command, terminal))
      return 0
    }
    refuseMoreWords(command, words)
    return (await command.run(terminal, given, words)) ?? 0
  } catch (error) {
    return explain(terminal, command, rest, error)
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
  if (first === undefined || (group.length > 0 && second === undefined)) {
    terminal.out(
      [
        'Usage: spillway <command> [flags]\n',
        columns(
          shown.map((one) => [one.name, one.says]),
          terminal,
        ),
        '\nspillway <command> --help says more about one; spillway --version says which this is.',
        'Exit codes: 0 done, 1 refused or failed, 2 called wrongly.',
      ].join('\n'),
    )
    return 0
  }
  if (first.startsWith('-')) {
    terminal.err(`spillway: flags such as ${first} come after the command\nTry: spillway --help`)
    return 2
  }
  const said = group.length > 0 ? `${first} ${second}` : first
  const names = commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? name])
  const near = nearest(`${first} ${second ?? ''}`.trim(), names) ?? nearest(first, names)
  terminal.err(`spillway: there is no command "${said}"${near ? `; did you mean "spillway ${near}"?` : ''}`)
  terminal.err(group.length > 0 ? `Try: spillway ${first} --help` : 'Try: spillway --help')
  return 2
}

function explain(terminal: Terminal, command: Command, argv: readonly string[], error: unknown): number {
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
    const next = nextStep(error) ?? misspelt(command, argv) ?? whereToLook(command, error)
    if (next) terminal.err(next)
    return 1
  }
  if (error instanceof TypeError && error.message === 'fetch failed') {
    const { code, message } = (error.cause ?? {}) as { code?: string; message?: string }
    terminal.err(
      [
        `spillway: the service cannot be reached (${code ?? message})`,
        'Is it running? "npm start" or "spillway serve" starts one here; --url or SPILLWAY_URL names one elsewhere.',
        '"spillway doctor" says what keeps one from running here.',
      ].join('\n'),
    )
    return 1
  }
  throw error
}

/** No credential, or one that nobody has. */
const signInCodes = new Set([6003, 9103, 9106, 9107, 9109])

/** What somebody may do about a refusal that its own words do not tell. */
function nextStep({ status, requestId, retryAfter, errors }: Refused): string | undefined {
  const isUnknown = status === 401 || errors.some(({ code }) => signInCodes.has(code))
  if (isUnknown)
    return 'Sign in with --token, or --email and --key (SPILLWAY_TOKEN, SPILLWAY_EMAIL, SPILLWAY_KEY); the first key is in first-run.json of the data directory, --data.'
  if (status === 403) return '"spillway users me" says who you are here; an administrator of the account grants more.'
  if (status === 429) return `Try again${retryAfter ? ` in ${retryAfter} s` : ' later'}.`
  return status >= 500
    ? `Try again; if it stays, the log of the service tells more of request ${requestId}.`
    : undefined
}

/** A value that is nearly one of those that are offered. */
function misspelt(command: Command, argv: readonly string[]): string | undefined {
  const { given, words } = readFlags(command, argv)
  const [first = ''] = words
  const meant = command.offers?.includes(first) ? undefined : nearest(first, command.offers ?? [])
  if (meant) return `Did you mean spillway ${command.name} ${meant}?`
  for (const [name, { offers = [] }] of Object.entries(command.flags)) {
    const value = given[name]
    const near = typeof value === 'string' && !offers.includes(value) ? nearest(value, offers) : undefined
    if (near) return `Did you mean --${name} ${near}?`
  }
  return undefined
}

/** What is not found is looked for in the list of such things, where there is one. */
function whereToLook({ name }: Command, { status }: Refused): string | undefined {
  const list = `${name.split(' ')[0]} list`
  return status === 404 && name !== list && commands.some((one) => one.name === list)
    ? `"spillway ${list}" shows those there are.`
    : undefined
}
