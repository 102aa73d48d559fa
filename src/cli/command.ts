/** What a command is: its name, its page of help, its flags, and what it does with a terminal and a service. */
import { parseArgs } from 'node:util'
import { nearest } from './nearest.ts'
import { wrap } from './table.ts'

export type Flag = {
  readonly type: 'string' | 'boolean'
  readonly says: string
  /** What stands for the value in the help, such as `<id>`. */
  readonly value?: string
  readonly short?: string
  readonly multiple?: true
  /** The values there are, where they are few: shells complete them. */
  readonly offers?: readonly string[]
}

export type Flags = Readonly<Record<string, Flag>>

/** The flags as given: text, or true, or all of the texts when a flag may come several times. */
export type Given<F extends Flags> = {
  readonly [Name in keyof F]?: F[Name]['type'] extends 'boolean'
    ? boolean
    : F[Name]['multiple'] extends true
      ? readonly string[]
      : string
}

export type Terminal = {
  out(text: string): void
  err(text: string): void
  /** False when the output is piped: nothing is cut to a width, and no progress is shown. */
  readonly isTerminal: boolean
  /** False in a pipe, where NO_COLOR is set, and on terminals that have none. */
  readonly hasColours?: boolean
  readonly columns: number
  readonly input: AsyncIterable<Uint8Array>
  /** Aborted when the user presses Ctrl-C or the process is asked to end. */
  readonly signal: AbortSignal
}

export type Command<F extends Flags = Flags> = {
  /** One or two words: `serve`, `zones create`. */
  readonly name: string
  readonly says: string
  /** What follows the name, such as `<name>` or `[file...]`. */
  readonly takes?: string
  /** What the first word after the name may be, where that is known: shells complete it. */
  readonly offers?: readonly string[]
  readonly flags: F
  /** Longer help: examples, what to know. */
  readonly more?: string
  /** What to do instead of a flag that there is not, where somebody may well expect it. */
  insteadOf?(flag: string): string | undefined
  /** The exit code; nothing is 0. */
  run(terminal: Terminal, given: Given<F>, words: readonly string[]): Promise<number | undefined>
}

/** Checks a command and keeps the types of its flags. */
export const command = <const F extends Flags>(entry: Command<F>): Command => entry as unknown as Command

/** A mistake in how a command was called: exit code 2, and a pointer to its help. */
export class UsageError extends Error {}

/** A mistake that is said in one line, without a stack: exit code 1. */
export class CommandError extends Error {}

export function readFlags(
  command: Command,
  argv: readonly string[],
): { given: Given<Flags>; words: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries({ ...command.flags, help: helpFlag }).map(([name, flag]) => [
      name,
      { type: flag.type, ...(flag.short ? { short: flag.short } : {}), ...(flag.multiple ? { multiple: true } : {}) },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
    return { given: values as Given<Flags>, words: positionals }
  } catch (error) {
    const message = (error as Error).message.replace(/\. To specify a positional argument.*$/, '')
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(message) ?? []
    if (unknown === undefined) throw new UsageError(message)
    const near = nearest(unknown, Object.keys(options))
    const instead = command.insteadOf?.(unknown) ?? (near ? `did you mean --${near}?` : undefined)
    throw new UsageError(instead ? `${message}; ${instead}` : message)
  }
}

/** A word that nothing asked for is most often a value whose quotes were forgotten. */
export function refuseMoreWords({ takes = '' }: Command, words: readonly string[]): void {
  const places = [...takes.matchAll(/<[^>]*>|\[\w+\]/g)]
  const extra = takes.includes('...') ? undefined : words[places.length]
  if (extra !== undefined)
    throw new UsageError(
      `"${extra}" is one word too many${places.length > 0 ? '; what holds blanks needs quotes' : ''}`,
    )
}

export const helpFlag: Flag = { type: 'boolean', short: 'h', says: 'This help.' }

/** The page of a command; on a terminal, lines are broken where it ends. */
export function helpOf(command: Command, terminal?: Terminal): string {
  const flags = Object.entries({ ...command.flags, help: helpFlag }).map(([name, flag]): [string, string] => [
    `${flag.short ? `-${flag.short}, ` : '    '}--${name}${flag.type === 'string' ? ` ${flag.value ?? '<text>'}` : ''}`,
    flag.says + (flag.multiple ? ' May be given several times.' : ''),
  ])
  const usage = `spillway ${command.name}${command.takes ? ` ${command.takes}` : ''} [flags]`
  return [
    `${terminal ? wrap(terminal, command.says, 0) : command.says}\n`,
    `Usage: ${usage}\n`,
    'Flags:',
    columns(flags, terminal),
    ...(command.more ? ['', command.more] : []),
  ].join('\n')
}

/** Two columns, the second aligned, and broken on a terminal where it ends. */
export function columns(rows: readonly (readonly [string, string])[], terminal?: Terminal): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  const shown = (right: string) => (terminal ? wrap(terminal, right, width + 4) : right)
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${shown(right)}`).join('\n')
}
