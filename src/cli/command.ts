/** What a command is: its name, its page of help, its flags, and what it does with a terminal and a service. */
import { parseArgs } from 'node:util'

export type Flag = {
  readonly type: 'string' | 'boolean'
  readonly says: string
  /** What stands for the value in the help, such as `<id>`. */
  readonly value?: string
  readonly short?: string
  readonly multiple?: true
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
  /** False when the output is piped: no colours, no progress lines. */
  readonly isTerminal: boolean
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
  readonly flags: F
  /** Longer help: examples, what to know. */
  readonly more?: string
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
    throw new UsageError((error as Error).message.replace(/\. To specify a positional argument.*$/, ''))
  }
}

export const helpFlag: Flag = { type: 'boolean', short: 'h', says: 'This help.' }

export function helpOf(command: Command): string {
  const flags = Object.entries({ ...command.flags, help: helpFlag }).map(([name, flag]): [string, string] => [
    `${flag.short ? `-${flag.short}, ` : '    '}--${name}${flag.type === 'string' ? ` ${flag.value ?? '<text>'}` : ''}`,
    flag.says + (flag.multiple ? ' May be given several times.' : ''),
  ])
  const usage = `spillway ${command.name}${command.takes ? ` ${command.takes}` : ''} [flags]`
  return [
    `${command.says}\n`,
    `Usage: ${usage}\n`,
    'Flags:',
    columns(flags),
    ...(command.more ? ['', command.more] : []),
  ].join('\n')
}

/** Two columns, the second aligned. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
