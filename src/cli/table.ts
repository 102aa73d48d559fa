/** Text that fits the terminal: tables, paragraphs, colours; measured in cells, as a terminal shows them. */
import { stripVTControlCharacters, styleText } from 'node:util'
import type { Terminal } from './command.ts'

/**
 * Rows as a table. On a terminal that is too narrow the widest columns give way first, each keeping its head and a few
 * letters; what is cut ends with an ellipsis. In a pipe nothing is cut.
 */
export function table(terminal: Terminal, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [
    heads.map((head) => head.toUpperCase()),
    ...rows.map((row) => heads.map((_, at) => plain(row[at] ?? ''))),
  ]
  const natural = heads.map((_, at) => Math.max(...all.map((row) => cellsOf(row[at] ?? ''))))
  const widths = terminal.isTerminal ? narrowed(natural, heads, terminal.columns) : natural
  return all
    .map((row) =>
      row
        .map((cell, at) => fit(cell, widths[at] ?? 0, at < row.length - 1))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => (terminal.isTerminal ? cut(line, terminal.columns) : line))
    .join('\n')
}

/** A cell at a time is taken from the widest column, until all fit or none may give more. */
function narrowed(natural: readonly number[], heads: readonly string[], columns: number): readonly number[] {
  const widths = [...natural]
  const least = heads.map((head, at) => Math.min(natural[at] ?? 0, Math.max(head.length, 8)))
  let over = widths.reduce((sum, width) => sum + width + 2, -2) - columns
  while (over > 0) {
    const widest = widths.reduce(
      (best, width, at) => (width > (least[at] ?? 0) && width > (widths[best] ?? -1) ? at : best),
      widths.findIndex((width, at) => width > (least[at] ?? 0)),
    )
    if (widest === -1) break
    widths[widest] = (widths[widest] ?? 0) - 1
    over -= 1
  }
  return widths
}

const fit = (text: string, width: number, isPadded: boolean): string => {
  const short = cut(text, width)
  return isPadded ? short + ' '.repeat(Math.max(0, width - cellsOf(short))) : short
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** How many cells of a terminal a text takes: two for the wide letters of East Asia and for emoji, none for what combines. */
export function cellsOf(text: string): number {
  // Most text is plain, and each letter of it one cell.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let cells = 0
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) cells += cellsOfOne(segment)
  return cells
}

const isWide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u
const isWidthless = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u

function cellsOfOne(grapheme: string): number {
  if (isWidthless.test(grapheme)) return 0
  return isWide.test(grapheme) ? 2 : 1
}

/** As much of a text as fits, with an ellipsis for the rest; a letter is never cut in two. */
export function cut(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text
  let taken = ''
  let room = cells - 1
  for (const { segment } of graphemes.segment(text)) {
    room -= cellsOfOne(segment)
    if (room < 0) break
    taken += segment
  }
  return cells > 0 ? `${taken}…` : ''
}

/** A paragraph broken between words; lines after the first are indented. In a pipe it stays one line. */
export function wrap(terminal: Terminal, text: string, indent: number): string {
  const clean = plain(text)
  if (!terminal.isTerminal) return clean
  const lines: string[] = []
  const room = Math.max(20, terminal.columns - indent)
  for (const word of clean.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && cellsOf(`${line} ${word}`) <= room) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Coloured on a terminal whose owner has nothing against it. */
export const paint = (
  terminal: Terminal,
  colour: 'red' | 'green' | 'yellow' | 'cyan' | 'bold',
  text: string,
): string => (terminal.hasColours ? styleText(colour, text, { validateStream: false }) : text)

/** Stored text must not steer the terminal: its control characters become blanks. */
export const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')

/** Prints a result as JSON when asked, otherwise as the text that `show` makes of it. */
export function print<T>(
  terminal: Terminal,
  given: { readonly json?: boolean },
  result: T,
  show: (result: T) => string,
): undefined {
  terminal.out(given.json ? JSON.stringify(result, null, 2) : show(result))
}
