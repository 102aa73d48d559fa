/** How many records of a window meet each of some conditions; and of those that meet one, the commonest values and a few. */
import { type Scope, scopePath } from '../base/index.ts'
import type { Dataset } from '../datasets/index.ts'
import { type Term, termSql } from './condition-term.ts'
import type { RecordStore } from './connect.ts'
import { rows } from './scan.ts'
import type { Window } from './select.ts'
import { column, tableOf } from './tables.ts'

type Needs = { readonly store: RecordStore }

/** Records of one dataset, in one or several scopes. */
export type Among = { readonly dataset: Dataset; readonly scopes: readonly Scope[]; readonly window: Window }

export type Tally = { readonly total: number; readonly counts: readonly number[] }

export async function tally({ store }: Needs, among: Among, conditions: readonly Term[]): Promise<Tally> {
  const counts = conditions.map((condition) => `countIf(${termSql(condition)})`)
  const [row] = await rows<{ total: number; counts: number[] }>(store, {
    sql: `SELECT count() AS total, [${['0', ...counts].join(', ')}] AS counts\n${from(among)}`,
    params: bounds(among),
  })
  return { total: row?.total ?? 0, counts: row?.counts.slice(1) ?? [] }
}

export type Frequent = { readonly value: string; readonly count: number }

export async function commonest(
  { store }: Needs,
  among: Among,
  condition: Term,
  field: string,
  most: number,
): Promise<readonly Frequent[]> {
  return rows<Frequent>(store, {
    sql: [
      `SELECT ${column(field)} AS value, count() AS count`,
      from(among),
      `  AND ${termSql(condition)}`,
      'GROUP BY value ORDER BY count DESC, value LIMIT {most:UInt32}',
    ].join('\n'),
    params: { ...bounds(among), most },
  })
}

export async function newest(
  { store }: Needs,
  among: Among,
  condition: Term,
  fields: readonly string[],
  most: number,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return rows(store, {
    sql: [
      `SELECT ${fields.map(column).join(', ')}`,
      from(among),
      `  AND ${termSql(condition)}`,
      'ORDER BY _at DESC, _seq DESC LIMIT {most:UInt32}',
    ].join('\n'),
    params: { ...bounds(among), most },
  })
}

/** Ids are hex digits, so a scope is safe to write; as parameters a thousand of them would not fit into an address. */
const from = ({ dataset, scopes }: Among): string =>
  `FROM ${tableOf(dataset)}
WHERE _scope IN (${scopes.map((scope) => `'${scopePath(scope)}'`).join(', ') || "''"})
  AND _at >= {from:UInt64} AND _at < {to:UInt64}`

const bounds = ({ window }: Among) => ({ from: window.from.toString(), to: window.to.toString() })
