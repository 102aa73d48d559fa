/** A judged filter as a condition in SQL, its values bound. */
import type { Field, FilterCondition, FilterNode } from '../datasets/index.ts'
import { column } from './tables.ts'

export function conditionOf(node: FilterNode): { readonly sql: string; readonly params: Record<string, unknown> } {
  const params: Record<string, unknown> = {}
  const bind = (value: unknown, type: string): string => {
    const name = `f${Object.keys(params).length}`
    params[name] = value
    return `{${name}:${type}}`
  }
  return { sql: sqlOf(node, bind), params }
}

type Bind = (value: unknown, type: string) => string

function sqlOf(node: FilterNode, bind: Bind): string {
  if ('and' in node) return `(${node.and.map((each) => sqlOf(each, bind)).join(' AND ')})`
  if ('or' in node) return `(${node.or.map((each) => sqlOf(each, bind)).join(' OR ')})`
  const { operator } = node
  return operator.startsWith('!') ? `NOT (${positive(node, operator.slice(1), bind)})` : positive(node, operator, bind)
}

function positive({ key, value }: FilterCondition, operator: string, bind: Bind): string {
  const name = column(key.name)
  const type = typeOf(key)
  switch (operator) {
    case 'eq':
      return `${name} = ${bind(value, type)}`
    case 'lt':
      return `${name} < ${bind(value, type)}`
    case 'leq':
      return `${name} <= ${bind(value, type)}`
    case 'gt':
      return `${name} > ${bind(value, type)}`
    case 'geq':
      return `${name} >= ${bind(value, type)}`
    case 'in':
      // Inside an array a number in quotes is not taken for one.
      return `${name} IN ${bind(type === 'Int64' ? (value as readonly string[]).map(BigInt) : value, `Array(${type})`)}`
    case 'startsWith':
    case 'endsWith':
      return `${operator}(${name}, ${bind(value, type)})`
    case 'contains':
      return key.type === 'array' ? `has(${name}, ${bind(value, type)})` : `position(${name}, ${bind(value, type)}) > 0`
    default:
      throw new Error(`no filter operator ${operator}`)
  }
}

/** Of the value that is compared: for an array, of its items. */
function typeOf(key: Field): string {
  const type = key.type === 'array' ? key.items : key.type
  if (type === 'int') return 'Int64'
  return type === 'bool' ? 'Bool' : 'String'
}
