/** One line of progress that is written over on a terminal, and nothing at all in a pipe. */
import type { Terminal } from './command.ts'
import { cut } from './table.ts'

export type Progress = {
  /** Shows the line, at most ten times a second; with a bar before it where the share that is done is known. */
  show(line: string, share?: number): void
  /** A sentence that stays, above the line. */
  say(line: string): void
  /** Takes the line away. */
  end(): void
}

const upAndClear = '\u001b[1A\u001b[2K'
const barCells = 20

export function makeProgress(terminal: Terminal): Progress {
  let shown = ''
  let lastMs = 0
  const draw = (line: string) => terminal.err(`${shown === '' ? '' : upAndClear}${line}`)
  return {
    show(line, share) {
      const now = Date.now()
      if (!terminal.isTerminal || now - lastMs < 100) return
      lastMs = now
      // One cell less than there are: some terminals break the line at the last one.
      const text = cut(share === undefined ? line : `${bar(share)} ${line}`, terminal.columns - 1)
      draw(text)
      shown = text
    },
    say(line) {
      draw(line)
      if (shown !== '') terminal.err(shown)
    },
    end() {
      if (shown !== '') terminal.err(`${upAndClear}\u001b[1A`)
      shown = ''
    },
  }
}

export function bar(share: number): string {
  const whole = Math.min(1, Math.max(0, share))
  const full = Math.floor(whole * barCells)
  return `[${'█'.repeat(full)}${'░'.repeat(barCells - full)}] ${String(Math.floor(whole * 100)).padStart(3)} %`
}
