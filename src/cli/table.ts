/** Rows as a table that fits the terminal: the last column is cut, never wrapped. */
import type { Terminal } from './command.ts'

export function table(terminal: Terminal, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads.map((head) => head.toUpperCase()), ...rows]
  const widths = heads.map((_, at) => Math.max(...all.map((row) => shown(row[at]).length)))
  const lines = all.map((row) =>
    row.map((cell, at) => shown(cell).padEnd(at === row.length - 1 ? 0 : (widths[at] ?? 0))).join('  '),
  )
  return lines
    .map((line) =>
      terminal.isTerminal && line.length > terminal.columns ? `${line.slice(0, terminal.columns - 1)}…` : line,
    )
    .join('\n')
}

/** Control characters of stored text must not reach the terminal. */
const shown = (cell: string | undefined): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  (cell ?? '').replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')

/** Prints a result as JSON when asked, otherwise as the text that `show` makes of it. */
export function print<T>(
  terminal: Terminal,
  given: { readonly json?: boolean },
  result: T,
  show: (result: T) => string,
): undefined {
  terminal.out(given.json ? JSON.stringify(result, null, 2) : show(result))
}
