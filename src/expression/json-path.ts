/** A walk through a JSON document: strings enter objects, integers enter arrays. */
import { fromBytes } from './bytes.ts'
import { type Integer, integer, type Value } from './values.ts'

/** Number literals as written: only those without fraction and exponent are integers. */
type Written = { readonly integer: Integer | undefined }

/** What stands at the end of the path: a text, an integer, or nothing of either kind. */
export const lookUp = (json: string, path: readonly Value[]): string | Integer | undefined => {
  let here: unknown = parse(json)
  for (const step of path) {
    if (typeof step === 'string') {
      const key = fromBytes(step)
      if (!isObject(here) || !Object.hasOwn(here, key)) return undefined
      here = here[key]
    } else {
      if (!Array.isArray(here)) return undefined
      here = here[Number(step)]
    }
  }
  if (typeof here === 'string') return here
  return here instanceof Number ? (here as unknown as Written).integer : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number)

const parse = (json: string): unknown => {
  try {
    return JSON.parse(fromBytes(json), keepWritten)
  } catch (error) {
    // Not JSON, or nested deeper than the stack: both mean that the path leads nowhere.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

const keepWritten = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number') return value
  const source = context?.source ?? ''
  return Object.assign(Object(value), { integer: /^-?[0-9]+$/.test(source) ? integer(BigInt(source)) : undefined })
}
