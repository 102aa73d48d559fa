/** The fields of the language: what rules may read of a request, a response or a packet. The list is fields.json. */
import rows from './fields.json' with { type: 'json' }
import { readType, type Type } from './type.ts'

export type Stage = 'request' | 'response' | 'network'

export type Field = {
  readonly name: string
  readonly type: Type
  /** The earliest point at which a value exists. */
  readonly stage: Stage
  /** The lowest plan that may use it on the hosted product; told, not enforced. */
  readonly plan: string
  readonly says: string
  /** The place of its value in every table of values. */
  readonly slot: number
  readonly default?: string | number | boolean
  /** Only in these phases. */
  readonly phases?: readonly string[]
  /** Only as a rate limit characteristic, or only in value expressions. */
  readonly only?: 'characteristic' | 'value'
  /** Only in rulesets of an account. */
  readonly scope?: 'account'
  readonly rawOf?: string
  readonly aliasOf?: string
}

type Row = Omit<Field, 'type' | 'slot'> & { readonly type: string }

export const fields: readonly Field[] = (rows as readonly Row[]).map((row, slot) => ({
  ...row,
  type: readType(row.type),
  slot,
}))
