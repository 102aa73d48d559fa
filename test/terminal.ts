/** A terminal for tests: what a command line says is kept, and what it reads is handed in. */
import { run, type Terminal } from '../src/cli/index.ts'

export type Said = { readonly out: string; readonly err: string; readonly code: number }

/** A pipe, unless said otherwise; the lines it was given are joined when they are read. */
export function makeTerminal(shown: Partial<Terminal> = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    isTerminal: false,
    columns: 100,
    input: (async function* () {})(),
    signal: new AbortController().signal,
    ...shown,
  }
  return { terminal, out: () => out.join('\n'), err: () => err.join('\n') }
}

/** Runs a command line, and tells what it said and how it ended. */
export async function say(argv: readonly string[], shown?: Partial<Terminal>): Promise<Said> {
  const { terminal, out, err } = makeTerminal(shown)
  const code = await run(terminal, argv)
  return { out: out(), err: err(), code }
}

export async function* inputOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
