/** What is wrong with an expression and where: a fault points at a span, and says it the way existing clients expect. */

export type Fault = {
  readonly message: string
  /** Both count from 1; the column counts bytes, as the hosted product does. */
  readonly line: number
  readonly column: number
  /** Characters under the carets, at least 1. */
  readonly length: number
  /** Where the span begins in the text, in UTF-16 units. */
  readonly offset: number
  /** A name that may have been meant. */
  readonly suggestion?: string
}

/** Thrown inside the parser only, and caught at its door: no text a person writes makes `judge` throw. */
export class Stop {
  readonly message: string
  readonly from: number
  readonly to: number
  readonly suggestion: string | undefined

  constructor(message: string, from: number, to: number, suggestion?: string) {
    this.message = message
    this.from = from
    this.to = to
    this.suggestion = suggestion
  }
}

export const faultAt = (text: string, stop: Stop): Fault => {
  const from = Math.min(stop.from, text.length)
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  const lineEnd = endOfLine(text, from)
  const under = text.slice(from, Math.min(Math.max(stop.to, from), lineEnd))
  return {
    message: stop.message,
    line: text.slice(0, lineStart).split('\n').length,
    column: Buffer.byteLength(text.slice(lineStart, from)) + 1,
    length: Math.max(1, [...under].length),
    offset: from,
    ...(stop.suggestion === undefined ? {} : { suggestion: stop.suggestion }),
  }
}

/** The fault with its source line and carets; a suggestion stands on a line of its own. */
export const sayFault = (text: string, fault: Fault): string => {
  const lineStart = text.lastIndexOf('\n', fault.offset - 1) + 1
  const line = text.slice(lineStart, endOfLine(text, fault.offset))
  const indent = ' '.repeat([...text.slice(lineStart, fault.offset)].length)
  const hint = fault.suggestion === undefined ? '' : `\ndid you mean ${fault.suggestion}?`
  return (
    `Filter parsing error (${fault.line}:${fault.column}):\n` +
    `${line}\n${indent}${'^'.repeat(fault.length)} ${fault.message}${hint}`
  )
}

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
