/**
 * The one query behind log fetch and export: made from what was judged, with every value bound and every identifier from
 * the catalogue. Pure. `cases/` shows the SQL for each kind of selection.
 */
import { type Nanos, type Scope, scopePath } from '../base/index.ts'
import type { Dataset, Selection } from '../datasets/index.ts'
import { conditionOf } from './condition.ts'
import { renderingOf } from './render.ts'
import { tableOf } from './tables.ts'

/** `[from, to)` over received time. */
export type Window = { readonly from: Nanos; readonly to: Nanos }

/** A record's place in the total order. */
export type Place = { readonly at: Nanos; readonly seq: number }

export type Query = { readonly sql: string; readonly params: Readonly<Record<string, unknown>> }

export type SelectLimits = {
  /** At most so many records. */
  readonly count?: number
  /** From this record on. */
  readonly first?: Place
  /** Up to, and not including, this record. */
  readonly end?: Place
}

export function select(
  dataset: Dataset,
  scope: Scope,
  window: Window,
  selection: Selection,
  limits: SelectLimits = {},
): Query {
  const { columns, format, settings } = renderingOf(dataset, selection)
  const { where, params } = conditions(scope, window, selection, limits)
  const sql = [
    `SELECT ${columns.join(',\n  ')}`,
    `FROM ${tableOf(dataset)}`,
    `WHERE ${where.join('\n  AND ')}`,
    'ORDER BY _scope, _at, _seq',
    ...(limits.count === undefined ? [] : ['LIMIT {count:UInt64}']),
    `SETTINGS ${settings.map(([name, value]) => `${name} = ${literal(value)}`).join(',\n  ')}`,
    `FORMAT ${format}`,
  ].join('\n')
  return { sql, params: limits.count === undefined ? params : { ...params, count: limits.count } }
}

/** How many records a selection has in a window. */
export function countQuery(dataset: Dataset, scope: Scope, window: Window, selection: Selection): Query {
  const { where, params } = conditions(scope, window, selection, {})
  return { sql: `SELECT count() AS rows\nFROM ${tableOf(dataset)}\nWHERE ${where.join('\n  AND ')}`, params }
}

/**
 * Each record's place and, when `lengths`, how many bytes its text has: the sum of its values' JSON texts. What the
 * frame adds is known without asking.
 */
export function placesQuery(
  dataset: Dataset,
  scope: Scope,
  window: Window,
  selection: Selection,
  lengths: boolean,
): Query {
  const { where, params } = conditions(scope, window, selection, {})
  const { values, settings } = renderingOf(dataset, selection)
  const length = (lengths && values.map((value) => `length(${value})`).join(' + ')) || '0'
  return {
    sql: [
      `SELECT _at, _seq, toUInt32(${length}) AS bytes`,
      `FROM ${tableOf(dataset)}`,
      `WHERE ${where.join('\n  AND ')}`,
      'ORDER BY _scope, _at, _seq',
      `SETTINGS ${settings.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')}`,
      'FORMAT RowBinary',
    ].join('\n'),
    params,
  }
}

function conditions(scope: Scope, window: Window, selection: Selection, limits: SelectLimits) {
  const { first, end } = limits
  const params: Record<string, unknown> = {
    scope: scopePath(scope),
    // By the index only the bounds of `_at` are found; the pair is compared row by row.
    from: (first?.at ?? window.from).toString(),
    to: (end ? end.at + 1n : window.to).toString(),
  }
  const where = ['_scope = {scope:String}', '_at >= {from:UInt64}', '_at < {to:UInt64}']
  if (first) {
    where.push('(_at, _seq) >= ({firstAt:UInt64}, {firstSeq:UInt32})')
    Object.assign(params, { firstAt: first.at.toString(), firstSeq: first.seq })
  }
  if (end) {
    where.push('(_at, _seq) < ({endAt:UInt64}, {endSeq:UInt32})')
    Object.assign(params, { endAt: end.at.toString(), endSeq: end.seq })
  }
  if (selection.filter) {
    const filter = conditionOf(selection.filter)
    where.push(filter.sql)
    Object.assign(params, filter.params)
  }
  if (selection.sample < 1) {
    // A hash of the record's place, which never changes: a second try keeps the same records, in any order of reading.
    where.push('cityHash64(_at, _seq) % 1000000 < {sample:UInt32}')
    params.sample = Math.round(selection.sample * 1_000_000)
  }
  return { where, params }
}

const literal = (text: string): string =>
  `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t').replaceAll('\0', '\\0')}'`
