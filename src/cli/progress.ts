/** One line of progress that is written over on a terminal, and nothing at all in a pipe. */
import type { Terminal } from './command.ts'

export type Progress = {
  /** Shows the line, at most ten times a second. */
  show(line: string): void
  /** A sentence that stays, above the line. */
  say(line: string): void
}

const upAndClear = '\u001b[1A\u001b[2K'

export function makeProgress(terminal: Terminal): Progress {
  let shown = ''
  let lastMs = 0
  const draw = (line: string) => terminal.err(`${shown === '' ? '' : upAndClear}${line}`)
  return {
    show(line) {
      const now = Date.now()
      if (!terminal.isTerminal || now - lastMs < 100) return
      lastMs = now
      draw(line.slice(0, terminal.columns - 1))
      shown = line.slice(0, terminal.columns - 1)
    },
    say(line) {
      draw(line)
      if (shown !== '') terminal.err(shown)
    },
  }
}
