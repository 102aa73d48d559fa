/** The API's words about an expression: where the carets stand, and a name that may have been meant. */
import type { ErrorItem } from '../../../src/contract/index.ts'
import type { Span } from './highlight.tsx'

export type Fault = {
  readonly message: string
  /** The source line with its carets below, when there are any. */
  readonly picture: string | undefined
  readonly span: Span | undefined
  readonly suggestion: string | undefined
}

const shape =
  /Filter parsing error \((?<line>\d+):\d+\):\n(?<source>.*)\n(?<indent> *)(?<carets>\^+) (?<why>[^\n]*)(?:\ndid you mean (?<meant>.*)\?)?$/

export function readFault({ message }: ErrorItem, text: string): Fault {
  const { line, source = '', indent = '', carets = '', why = '', meant } = shape.exec(message)?.groups ?? {}
  if (line === undefined) return { message, picture: undefined, span: undefined, suggestion: undefined }
  const lineStart = text
    .split('\n')
    .slice(0, Number(line) - 1)
    .reduce((sum, one) => sum + one.length + 1, 0)
  // Carets count characters, offsets count UTF-16 units.
  const units = (characters: number) => [...source].slice(0, characters).join('').length
  const from = lineStart + units(indent.length)
  const to = lineStart + Math.max(units(indent.length) + 1, units(indent.length + carets.length))
  return { message: why, picture: `${source}\n${indent}${carets}`, span: { from, to }, suggestion: meant }
}

/** Reasons that are about one rule of a list, with the pointer below that rule. */
export function errorsOfRule(errors: readonly ErrorItem[], at: number): readonly ErrorItem[] {
  const prefix = `/rules/${at}`
  return errors
    .filter(({ source }) => source?.pointer === prefix || source?.pointer.startsWith(`${prefix}/`))
    .map((error) => ({ ...error, source: { pointer: error.source?.pointer.slice(prefix.length) ?? '' } }))
}
