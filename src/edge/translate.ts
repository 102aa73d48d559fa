/** An expression of the rules language as a condition on records, or the names of what records cannot answer. */
import type { Access, Argument, Expression, Ip, Logical, Test } from '../expression/index.ts'
import { re2Pattern } from '../expression/index.ts'
import type { AddressRange, NumberRange, Term, TermOperator } from '../logs/index.ts'
import { recorded } from './recorded.ts'

/** Items of a list that an expression names; undefined when there is no such list. */
export type ListItems = (name: string) => ListContents | undefined

export type ListContents =
  | { readonly of: 'Bytes'; readonly items: readonly string[] }
  | { readonly of: 'Int'; readonly items: readonly NumberRange[] }
  | { readonly of: 'Ip'; readonly items: readonly IpPair[] }

export type IpPair = { readonly first: Ip; readonly last: Ip }

export type Translation = {
  /** Means the expression only when nothing is missing. */
  readonly condition: Term
  readonly missingFields: readonly string[]
  readonly missingWords: readonly string[]
}

export function translate({ root }: Expression, lists: ListItems): Translation {
  const missing: Missing = { fields: new Set(), words: new Set(), lists }
  const condition = argument(root, missing)
  return { condition, missingFields: [...missing.fields].sort(), missingWords: [...missing.words].sort() }
}

type Missing = { readonly fields: Set<string>; readonly words: Set<string>; readonly lists: ListItems }

const never: Term = { kind: 'truth', value: false }
const apply = (op: TermOperator, ...to: Term[]): Term => ({ kind: 'apply', op, to })

const lacking = (missing: Missing, word: string): Term => {
  missing.words.add(word)
  return never
}

function argument(node: Argument, missing: Missing): Term {
  switch (node.kind) {
    case 'literal':
      if (typeof node.value === 'string') return { kind: 'text', bytes: node.value }
      if (typeof node.value === 'boolean') return { kind: 'truth', value: node.value }
      if (typeof node.value === 'object') return lacking(missing, 'an address as an argument')
      return { kind: 'number', value: node.value }
    case 'access':
      return access(node, missing)
    default:
      return logical(node, missing)
  }
}

function logical(node: Logical, missing: Missing): Term {
  switch (node.kind) {
    case 'constant':
      return { kind: 'truth', value: node.value }
    case 'group':
      return logical(node.item, missing)
    case 'not':
      return apply('not', logical(node.item, missing))
    case 'combine':
      return apply(node.op, ...node.items.map((item) => logical(item, missing)))
    case 'quantifier':
      argument(node.over, missing)
      return lacking(missing, `${node.op}()`)
    case 'compare':
      return compare(node.left, node.test, missing)
  }
}

/** Functions that mean the same there as here. Every field that is recorded has a value, so none of them meets a gap. */
const functions: Readonly<Record<string, TermOperator>> = {
  concat: 'concat',
  ends_with: 'endsWith',
  len: 'length',
  lower: 'lower',
  starts_with: 'startsWith',
  upper: 'upper',
}

function access({ base, indexes }: Access, missing: Missing): Term {
  if (base.kind === 'field') {
    const known = recorded[base.field.aliasOf ?? base.field.name]
    if (known && indexes.length === 0) return known.term
    missing.fields.add(base.field.name)
    return never
  }
  const args = base.args.map((each) => argument(each, missing))
  const op = functions[base.function.name]
  return op && indexes.length === 0 ? apply(op, ...args) : lacking(missing, `${base.function.name}()`)
}

function compare(left: Access, test: Test, missing: Missing): Term {
  const of = access(left, missing)
  switch (test.by) {
    case 'truth':
      return of
    case 'order':
      if (left.type === 'Ip') {
        return test.right.kind === 'literal'
          ? compareAddress(of, test.op, test.right.value as Ip)
          : lacking(missing, 'two addresses compared')
      }
      return apply(test.op, of, argument(test.right, missing))
    case 'bits':
      return apply('bits', of, { kind: 'number', value: test.mask })
    case 'contains':
      return apply('contains', of, { kind: 'text', bytes: test.needle })
    case 'matches': {
      const pattern = re2Pattern(test.regex)
      return pattern === undefined
        ? lacking(missing, 'a regular expression in Unicode mode')
        : { kind: 'matches', of, pattern }
    }
    case 'wildcard': {
      const { pieces, ignoresCase } = test.wildcard
      const pattern = `\\A${pieces.map(quoted).join('(?s:.*)')}\\z`
      return { kind: 'matches', of: ignoresCase ? apply('lower', of) : of, pattern }
    }
    case 'set':
      return member(of, test.set)
    case 'list': {
      const contents = missing.lists(test.name)
      return contents ? member(of, contents) : never
    }
  }
}

function member(of: Term, set: ListContents): Term {
  switch (set.of) {
    case 'Bytes':
      return { kind: 'among', of, texts: set.items }
    case 'Int':
      return { kind: 'within', of, ranges: set.items }
    case 'Ip':
      return {
        kind: 'address',
        of,
        ranges: set.items.map(({ first, last }) => ({
          family: first.family,
          first: numberOf(first),
          last: numberOf(last),
        })),
      }
  }
}

const quoted = (bytes: string): string =>
  bytes.replaceAll(/[^0-9A-Za-z]/gs, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Addresses of different families are unequal and in no order; a text that is no address compares as nothing. */
function compareAddress(of: Term, op: 'eq' | 'ne' | 'ge' | 'le' | 'gt' | 'lt', right: Ip): Term {
  const { family } = right
  const value = numberOf(right)
  const highest = family === 4 ? 2n ** 32n - 1n : 2n ** 128n - 1n
  const within = (first: bigint, last: bigint): Term => {
    const ranges: AddressRange[] = first <= last && first >= 0n ? [{ family, first, last }] : []
    return { kind: 'address', of, ranges }
  }
  switch (op) {
    case 'eq':
      return within(value, value)
    case 'ne':
      return apply('and', apply('isAddress', of), apply('not', within(value, value)))
    case 'ge':
      return within(value, highest)
    case 'le':
      return within(0n, value)
    case 'gt':
      return within(value + 1n, highest)
    case 'lt':
      return within(0n, value - 1n)
  }
}

/** The words of an address carry a flipped sign bit; as one number they do not. */
function numberOf({ family, a, b, c, d }: Ip): bigint {
  const plain = (word: number) => BigInt((word ^ 0x80000000) >>> 0)
  return family === 4 ? plain(a) : (plain(a) << 96n) | (plain(b) << 64n) | (plain(c) << 32n) | plain(d)
}
