/** Where rulesets meet the rules language: which expression may stand where, and what it becomes when it runs. */

import type { ScopeKind } from '../base/index.ts'
import {
  compile,
  compileValue as compileValuer,
  type Expression,
  type Field,
  fields,
  fullScheme,
  judge,
  type Predicate,
  type Scheme,
  schemeFor,
  type Type,
  typeName,
  uses,
  type Valuer,
  type Want,
} from '../expression/index.ts'
import type { Phase } from './phases/index.ts'
import type { Place } from './shape.ts'

/** The kind of a list of the account by its name; undefined when there is none. */
export type ListKinds = (name: string) => string | undefined

/**
 * What an expression is for: to match a request, to count one (which may look at the answer), to give a string to rewrite
 * with, or to give a value by which requests are counted apart.
 */
export type Purpose = 'match' | 'count' | 'value' | 'characteristic'

type Standing = { readonly phase: Phase; readonly scope: ScopeKind; readonly lists: ListKinds }

const wants: Readonly<Record<Purpose, Want>> = { match: 'bool', count: 'bool', value: 'string', characteristic: 'any' }
const useOf = { match: 'filter', count: 'filter', value: 'value', characteristic: 'characteristic' } as const

/** The text when it may stand here; otherwise undefined, and the place has been told why, with carets. */
export function judgeExpression(
  standing: Standing,
  purpose: Purpose,
  value: unknown,
  place: Place,
): string | undefined {
  if (typeof value !== 'string') return place.refuse(value, 'it is not a string')
  const judged = judge(value, schemeAt(standing, purpose), wants[purpose])
  if (judged.ok) return judgeLists(standing, judged.value, place) ? value : undefined
  for (const { message, code } of judged.reasons) {
    if (code === 20127) place.say(message, code)
    else if (code !== undefined) place.refuse(value, message, code)
    else
      place.say(
        `'${value}' is not a valid value for ${place.name} because could not parse filter expression: ${message}`,
        message.includes('argument of kind') ? 20083 : 20126,
      )
  }
  return undefined
}

const schemes = new Map<string, Scheme>()

/** A scheme is made from all fields and functions; there are few places, so each is made once. */
function schemeAt({ phase, scope }: Standing, purpose: Purpose): Scheme {
  const key = `${phase.name} ${scope} ${purpose}`
  const known = schemes.get(key)
  if (known) return known
  const stage = purpose === 'count' && phase.stage === 'request' ? 'response' : phase.stage
  const made = schemeFor({ phase: phase.name, stage, use: useOf[purpose], scope })
  schemes.set(key, made)
  return made
}

const listTypes: Readonly<Record<string, Type>> = { ip: 'Ip', asn: 'Int', hostname: 'Bytes', string: 'Bytes' }

function judgeLists({ lists }: Standing, expression: Expression, place: Place): boolean {
  if (uses(expression).lists.size === 0) return true
  let isFine = true
  const refuse = (name: string, why: string) => {
    place.refuse(`$${name}`, why)
    isFine = false
  }
  for (const { name, type } of listTests(expression.root)) {
    const kind = lists(name)
    if (kind === undefined) refuse(name, 'the account has no list of this name')
    else if (listTypes[kind] !== type)
      refuse(name, `the list holds items of kind ${kind}, but is asked for a value of type ${typeName(type)}`)
  }
  return isFine
}

type ListTest = { readonly name: string; readonly type: Type }

/** Every `in $name` of a tree, with the type of what is looked up. */
function listTests(node: unknown): ListTest[] {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap(listTests)
  const { kind, left, test, items, item, over, base, args } = node as Record<string, unknown>
  const inner = [left, items, item, over, base, args, (test as { right?: unknown } | undefined)?.right].flatMap(
    listTests,
  )
  const asked = test as { by: string; name: string } | undefined
  if (kind !== 'compare' || asked?.by !== 'list') return inner
  return [...inner, { name: asked.name, type: (left as { type: Type }).type }]
}

/** Stored expressions were judged when they were written; one that no longer reads is our mistake, not a caller's. */
function read(text: string, want: Want): Expression {
  const judged = judge(text, fullScheme, want)
  if (!judged.ok) throw new Error(`a stored expression cannot be read: ${judged.reasons[0].message}`)
  return judged.value
}

export type Compiled<T> = { readonly run: T; readonly fields: readonly Field[] }

const byName = new Map(fields.map((field) => [field.name, field]))
const fieldsOf = (expression: Expression): Field[] =>
  [...uses(expression).fields].flatMap((name) => byName.get(name) ?? [])

export function compileMatch(text: string): Compiled<Predicate> {
  const expression = read(text, 'bool')
  return { run: compile(expression), fields: fieldsOf(expression) }
}

export function compileValue(text: string): Compiled<Valuer> {
  const expression = read(text, 'any')
  return { run: compileValuer(expression), fields: fieldsOf(expression) }
}

export const usesResponse = (text: string): boolean =>
  fieldsOf(read(text, 'bool')).some((field) => field.stage === 'response')

export const usesIpList = (text: string, lists: ListKinds): boolean => {
  const judged = judge(text, fullScheme)
  return judged.ok && [...uses(judged.value).lists].some((name) => lists(name) === 'ip')
}
