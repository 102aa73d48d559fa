/**
 * Filters: JSON in a string, `{"where": node}`, where a node is `{"and": [...]}`, `{"or": [...]}` or a condition
 * `{"key", "operator", "value"}`. A filter says which records are kept. Pointers lead into that JSON.
 */
import { accept, type Judged, judgedBy, type Reason, reject } from '../base/index.ts'
import { type Dataset, type Field, findField, typeWord } from './dataset.ts'
import { isObject, pointTo } from './json.ts'
import { excerpt, sayUnknownField } from './judging.ts'
import type { Filter, FilterCondition, FilterNode, FilterOperator } from './selection.ts'

// Published as "about": enough for any filter written by hand, and it keeps the compiled query small.
const mostOperators = 30
const mostBytes = 1000

/** `instant`: live tail's clients also write `neq`, and the list of an `in` as one text with commas. */
export type FilterSpelling = 'job' | 'instant'

/** An empty text is no filter. */
export function judgeFilter(text: string, dataset: Dataset, spelling: FilterSpelling = 'job'): Judged<Filter> {
  if (text === '') return accept(null)
  if (Buffer.byteLength(text) > mostBytes) return reject(`filter is longer than ${mostBytes} bytes`)
  const parsed = parseExactly(text)
  if (parsed === undefined) return reject('filter is not JSON')
  if (!isObject(parsed)) return reject('filter is an object with one member, where')

  const reasons: Reason[] = []
  const judge: NodeJudge = {
    dataset,
    spelling,
    operators: 0,
    complain: (pointer, message) => reasons.push({ pointer, message }),
  }
  for (const key of Object.keys(parsed).filter((each) => each !== 'where'))
    judge.complain(pointTo('', key), `unknown member ${excerpt(key)}; a filter has one member, where`)
  const node = judgeNode(parsed.where, '/where', judge)
  if (judge.operators > mostOperators)
    judge.complain('/where', `filter has ${judge.operators} operators; at most ${mostOperators} are allowed`)
  return judgedBy(reasons, () => node as FilterNode)
}

/** Which operators a field of this type takes; empty when it cannot be filtered. */
export function operatorsFor(field: Field): readonly FilterOperator[] {
  if (!field.filterable) return []
  switch (field.type) {
    case 'string':
      return ['eq', '!eq', 'in', '!in', 'contains', '!contains', 'startsWith', '!startsWith', 'endsWith', '!endsWith']
    case 'int':
      return ['eq', '!eq', 'in', '!in', 'lt', 'leq', 'gt', 'geq']
    case 'bool':
      return ['eq', '!eq']
    case 'array':
      return ['contains', '!contains']
    case 'float':
    case 'object':
      return []
  }
}

type NodeJudge = {
  readonly dataset: Dataset
  readonly spelling: FilterSpelling
  /** Counted so far: `and` and `or` as well as those of conditions. */
  operators: number
  readonly complain: (pointer: string, message: string) => void
}

/** The node, or undefined after a complaint. The length of the text bounds the depth: at most 125 levels. */
function judgeNode(value: unknown, pointer: string, judge: NodeJudge): FilterNode | undefined {
  if (!isObject(value)) {
    judge.complain(pointer, 'expected {"and": [...]}, {"or": [...]} or {"key", "operator", "value"}')
    return undefined
  }
  judge.operators += 1
  const branches = ['and', 'or'].filter((key) => key in value)
  const leaves = ['key', 'operator', 'value'].filter((key) => key in value)
  const strangers = Object.keys(value).filter((key) => !branches.includes(key) && !leaves.includes(key))
  for (const key of strangers) judge.complain(pointTo(pointer, key), `unknown member ${excerpt(key)}`)
  if (branches.length + Math.min(leaves.length, 1) > 1) {
    judge.complain(pointer, `${[...branches, ...leaves].join(', ')} cannot stand together in one node`)
    return undefined
  }
  if ('and' in value) return wrap(judgeNodes(value.and, `${pointer}/and`, judge), (and) => ({ and }))
  if ('or' in value) return wrap(judgeNodes(value.or, `${pointer}/or`, judge), (or) => ({ or }))
  return judgeCondition(judge.spelling === 'instant' ? fromInstant(value) : value, pointer, judge)
}

const instantOperators = new Map<unknown, FilterOperator>([
  ['neq', '!eq'],
  ['notin', '!in'],
  ['not in', '!in'],
])

function fromInstant(condition: Record<string, unknown>): Record<string, unknown> {
  const operator = instantOperators.get(condition.operator) ?? condition.operator
  const isList = (operator === 'in' || operator === '!in') && typeof condition.value === 'string'
  return {
    ...condition,
    ...('operator' in condition ? { operator } : {}),
    ...(isList ? { value: (condition.value as string).split(',').map((each) => each.trim()) } : {}),
  }
}

const wrap = <T>(nodes: readonly FilterNode[] | undefined, make: (nodes: readonly FilterNode[]) => T) =>
  nodes && make(nodes)

function judgeNodes(value: unknown, pointer: string, judge: NodeJudge): readonly FilterNode[] | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    judge.complain(pointer, 'expected a list of one or more nodes')
    return undefined
  }
  const nodes = value.map((node, index) => judgeNode(node, `${pointer}/${index}`, judge))
  return nodes.every((node) => node !== undefined) ? nodes : undefined
}

function judgeCondition(value: Record<string, unknown>, pointer: string, judge: NodeJudge): FilterNode | undefined {
  const missing = ['key', 'operator', 'value'].filter((member) => !(member in value))
  if (missing.length > 0) {
    judge.complain(pointer, `a condition has key, operator and value; missing here: ${missing.join(', ')}`)
    return undefined
  }

  const key = typeof value.key === 'string' ? findField(judge.dataset, value.key) : undefined
  if (!key) {
    const why = typeof value.key === 'string' ? sayUnknownField(judge.dataset, value.key) : 'key is the name of a field'
    judge.complain(`${pointer}/key`, why)
    return undefined
  }
  const operators = operatorsFor(key)
  if (operators.length === 0) {
    judge.complain(`${pointer}/key`, `field ${key.name} cannot be filtered`)
    return undefined
  }
  const operator = operators.find((each) => each === value.operator)
  if (!operator) {
    const said = typeof value.operator === 'string' ? excerpt(value.operator) : 'that'
    const takes = `${key.name} (${key.timestamp ? key.type : typeWord(key)}) takes ${operators.join(', ')}`
    judge.complain(`${pointer}/operator`, `${said} is not an operator here: ${takes}`)
    return undefined
  }
  const operand = judgeOperand(value.value, key, operator, `${pointer}/value`, judge)
  return operand === undefined ? undefined : ({ key, operator, value: operand } as FilterCondition)
}

function judgeOperand(value: unknown, key: Field, operator: FilterOperator, pointer: string, judge: NodeJudge) {
  if (operator !== 'in' && operator !== '!in') return judgeScalar(value, key, pointer, judge)
  if (!Array.isArray(value) || value.length === 0) {
    judge.complain(pointer, `${operator} takes a list of one or more values`)
    return undefined
  }
  const values = value.map((each, index) => judgeScalar(each, key, `${pointer}/${index}`, judge))
  return values.every((each) => each !== undefined) ? values : undefined
}

function judgeScalar(value: unknown, key: Field, pointer: string, judge: NodeJudge): string | boolean | undefined {
  const wanted = key.type === 'array' ? key.items : key.type
  switch (wanted) {
    case 'int': {
      const number = toInt(value)
      if (number === undefined) judge.complain(pointer, `${key.name} is compared with a whole number of 64 bits`)
      return number
    }
    case 'bool':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      judge.complain(pointer, `${key.name} is compared with true or false`)
      return undefined
    default:
      if (typeof value === 'string' && value.isWellFormed()) return value
      judge.complain(pointer, `${key.name} is compared with a string`)
      return undefined
  }
}

/** The decimal text of a whole number, written as a number or in a string. */
function toInt(value: unknown): string | undefined {
  const exact =
    typeof value === 'bigint' || (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) ? BigInt(value) : undefined
  return exact !== undefined && BigInt.asIntN(64, exact) === exact ? exact.toString() : undefined
}

/** JSON with whole numbers as bigint: nanoseconds do not fit a double. Undefined when it is not JSON. */
function parseExactly(text: string): unknown {
  // The third argument is in Node 24 and not yet in TypeScript's library.
  const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== 'number') return value
    if (/^-?\d+$/.test(context?.source ?? '')) return BigInt(context?.source ?? 0)
    return Number.isSafeInteger(value) ? BigInt(value) : value
  }
  try {
    return JSON.parse(text, keepDigits)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
