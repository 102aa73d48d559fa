/** What a filter means, said as plainly as possible: the oracle that compiled filters are compared with. Tests only. */
import type { Field, Filter, FilterCondition } from '../src/datasets/index.ts'

/** Whole numbers of the record may be bigint, number or decimal text; a field that is missing has its type's empty value. */
export function matchesFilter(filter: Filter, record: Readonly<Record<string, unknown>>): boolean {
  if (filter === null) return true
  if ('and' in filter) return filter.and.every((node) => matchesFilter(node, record))
  if ('or' in filter) return filter.or.some((node) => matchesFilter(node, record))
  return meets(filter, record)
}

function meets({ key, operator, value }: FilterCondition, record: Readonly<Record<string, unknown>>): boolean {
  if (operator.startsWith('!')) return !meets({ key, operator: operator.slice(1), value } as FilterCondition, record)
  const held = record[key.name] ?? emptyOf(key)
  switch (operator) {
    case 'eq':
      return String(held) === String(value)
    case 'in':
      return value.includes(String(held))
    case 'lt':
      return BigInt(held as bigint) < BigInt(value)
    case 'leq':
      return BigInt(held as bigint) <= BigInt(value)
    case 'gt':
      return BigInt(held as bigint) > BigInt(value)
    case 'geq':
      return BigInt(held as bigint) >= BigInt(value)
    case 'startsWith':
      return String(held).startsWith(value)
    case 'endsWith':
      return String(held).endsWith(value)
    case 'contains':
      return Array.isArray(held) ? held.map(String).includes(value) : String(held).includes(value)
    default:
      throw new Error(`no such operator: ${operator}`)
  }
}

function emptyOf(field: Field): unknown {
  const empty = { string: '', int: 0n, bool: false, float: 0, array: [], object: {} }
  return empty[field.type]
}
