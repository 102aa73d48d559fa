/** Expressions tried out without a service: one text, one text against a request, or a file of cases. */
import { accept, type Judged, reject, sayReasons } from '../base/index.ts'
import { fromBytes } from './bytes.ts'
import { compile, compileValue } from './compile.ts'
import { formatIp, isIp } from './ip.ts'
import { judge, type Want } from './judge.ts'
import { type List, type Lists, listOf } from './lists.ts'
import { print } from './print.ts'
import { fullScheme } from './scheme.ts'
import type { Expression } from './tree.ts'
import { documentedName, type Primitive, readType } from './type.ts'
import { uses } from './uses.ts'
import { readValues, type Value, type Values } from './values.ts'

/** What a text means: its normal form, its type, and the names it uses, sorted. */
export type Checked = {
  readonly expression: string
  readonly gives: string
  readonly fields: readonly string[]
  readonly functions: readonly string[]
  readonly lists: readonly string[]
}

/** What a text means, or the fault with its carets. */
export const checkText = (text: string, want: Want = 'bool'): Judged<Checked> => {
  const judged = judge(text, fullScheme, want)
  if (!judged.ok) return judged
  const { root, type } = judged.value
  const { fields, functions, lists } = uses(judged.value)
  const sorted = (names: ReadonlySet<string>) => [...names].toSorted()
  return accept({
    expression: print(root),
    gives: documentedName(type),
    fields: sorted(fields),
    functions: sorted(functions),
    lists: sorted(lists),
  })
}

/**
 * The answer of one expression for one request. The request is a JSON object: values by field name, absent ones
 * missing, named lists under `$lists` by the type of their items.
 */
export const testAgainstRequest = (text: string, request: unknown, want: Want = 'bool'): Judged<unknown> => {
  const judged = judge(text, fullScheme, want)
  if (!judged.ok) return judged
  const values = readRequest(request)
  return values.ok ? accept(answer(judged.value, values.value)) : values
}

export type Case = {
  readonly id: string
  readonly expr: string
  readonly context?: unknown
  /** `true`, `false`, or `"parse_error"`. */
  readonly expected: unknown
  readonly error_message?: string
  readonly error_at?: { readonly line: number; readonly column: number }
}

export type CaseResults = {
  readonly passed: number
  readonly failures: readonly { readonly id: string; readonly expr: string; readonly why: string }[]
  /** Every failing case, then `N passed, M failed`. */
  readonly text: string
}

/** Runs a list of cases; a case passes when its answer is the expected one, and its error too where one is told. */
export const runCases = (cases: unknown): Judged<CaseResults> => {
  if (!Array.isArray(cases)) return reject('a case file is a JSON array of cases')
  const strange = cases.findIndex((each) => !isCase(each))
  if (strange !== -1) return reject(`case number ${strange + 1} needs the strings "id" and "expr", and "expected"`)
  const failures = (cases as readonly Case[]).flatMap((each) => {
    const why = whyFailed(each)
    return why === undefined ? [] : [{ id: each.id, expr: each.expr, why }]
  })
  const passed = cases.length - failures.length
  const lines = failures.map(({ id, expr, why }) => `FAIL ${id}: ${expr}\n  ${why.replaceAll('\n', '\n  ')}`)
  return accept({ passed, failures, text: [...lines, `${passed} passed, ${failures.length} failed`].join('\n') })
}

const isCase = (given: unknown): given is Case => {
  if (typeof given !== 'object' || given === null) return false
  return 'expr' in given && typeof given.expr === 'string' && 'id' in given && 'expected' in given
}

const whyFailed = ({ expr, context, expected, error_message, error_at }: Case): string | undefined => {
  const judged = judge(expr, fullScheme)
  if (!judged.ok) {
    const [{ fault, message }] = judged.reasons
    if (expected !== 'parse_error') return `expected ${expected}, but it does not parse:\n${message}`
    // A message about a pattern has several lines, the last of which says what is wrong.
    if (
      error_message !== undefined &&
      fault.message !== error_message &&
      !fault.message.endsWith(`\n${error_message}`)
    ) {
      return `expected the error "${error_message}", got "${fault.message}"`
    }
    const isThere = error_at === undefined || (error_at.line === fault.line && error_at.column === fault.column)
    return isThere
      ? undefined
      : `expected the error at ${error_at.line}:${error_at.column}, got ${fault.line}:${fault.column}`
  }
  if (expected === 'parse_error')
    return `expected a parse error${error_message ? ` ("${error_message}")` : ''}, but it parses`
  const values = readRequest(context ?? {})
  if (!values.ok) return `its context cannot be read: ${sayReasons(values.reasons)}`
  const got = answer(judged.value, values.value)
  return got === expected ? undefined : `expected ${expected}, got ${got}`
}

const answer = (expression: Expression, values: Values): unknown => {
  if (expression.type === 'Bool') {
    const root = expression.root
    if (root.kind !== 'access' && root.kind !== 'literal') return compile(expression)(values)
  }
  return showValue(compileValue(expression)(values))
}

/** A value as JSON can show it; a missing one is null. */
export const showValue = (value: Value | undefined): unknown => {
  if (value === undefined) return null
  if (typeof value === 'string') return fromBytes(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object') return value
  if (isIp(value)) return formatIp(value)
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [fromBytes(key), showValue(item)]))
  return (value as readonly Value[]).map(showValue)
}

const readRequest = (request: unknown): Judged<Values> => {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return reject('a request is a JSON object: values by field name')
  }
  const { $lists: given = {}, ...record } = request as Record<string, unknown>
  const lists = readLists(given)
  return lists.ok ? readValues(record, lists.value) : lists
}

const readLists = (given: unknown): Judged<Lists> => {
  const found = new Map<string, List>()
  for (const [typeName, named] of Object.entries(given ?? {})) {
    if (!/^(?:IP|Integer|String)$/.test(typeName))
      return reject(`$lists has no type ${typeName}: use IP, Integer, String`)
    const type = readType(typeName) as Primitive
    for (const [name, items] of Object.entries(named ?? {})) {
      const list = Array.isArray(items) ? listOf(type, items) : undefined
      if (!list) return reject(`the list ${name} must be an array of type ${typeName}`)
      found.set(`${type} ${name}`, list)
    }
  }
  return accept<Lists>((type, name) => found.get(`${type} ${name}`))
}
