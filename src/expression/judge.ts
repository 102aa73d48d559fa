/** The door from text to expression: whatever is written, the answer is an expression or a reason that points. */
import { accept, type Reason } from '../base/index.ts'
import { typeOfArgument } from './check.ts'
import { type Fault, faultAt, Stop, sayFault } from './fault.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { readFilter, readLogical, readValueExpression } from './parse.ts'
import type { Reading } from './reading.ts'
import type { Scheme } from './scheme.ts'
import { sourceOf } from './token.ts'
import type { Expression, Root } from './tree.ts'
import { typeName } from './type.ts'

/** A reason with the fault it tells of, for those who mark places themselves. */
export type ExpressionReason = Reason & { readonly fault: Fault }
export type JudgedExpression =
  | { readonly ok: true; readonly value: Expression }
  | { readonly ok: false; readonly reasons: readonly [ExpressionReason] }

/** What is wanted: a filter, a value that is a string, or a value of any type. */
export type Want = 'bool' | 'string' | 'any'

export const judge = (
  text: string,
  scheme: Scheme,
  want: Want = 'bool',
  limits: Limits = defaultLimits,
): JudgedExpression => {
  if (text.length > limits.length) {
    const message = `expression size ${text.length} exceeded maximum ${limits.length}`
    return refuse({ message, line: 1, column: 1, length: 1, offset: 0 }, message, 20127)
  }
  const reading: Reading = {
    ...sourceOf(text),
    scheme,
    limits,
    readCondition: readLogical,
    depth: 0,
    regexes: 0,
    usedOnce: undefined,
  }
  try {
    const root = want === 'bool' ? readFilter(reading) : readValueExpression(reading)
    const type = typeOfArgument(root)
    if (want === 'string' && type !== 'Bytes') throw wrongType(reading, root)
    return accept<Expression>({ text, root, type }) as JudgedExpression
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    const fault = faultAt(text, error)
    if (text.trim() === '') return refuse(fault, 'the expression cannot be blank', 20125)
    return refuse(fault, sayFault(text, fault))
  }
}

const wrongType = (reading: Reading, root: Root): Stop => {
  const from = reading.text.length - reading.text.trimStart().length
  return new Stop(`expected value of type Bytes, but got ${typeName(typeOfArgument(root))}`, from, reading.end)
}

const refuse = (fault: Fault, message: string, code?: number): JudgedExpression => ({
  ok: false,
  reasons: [{ message, fault, ...(code === undefined ? {} : { code }) }],
})
