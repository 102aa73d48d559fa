/**
 * The tree of an expression, typed. It holds what was meant, not how it was written: string forms, number bases and
 * operator spellings are gone, parentheses stay. Whoever translates expressions elsewhere (SQL, docs) starts here.
 */

import type { LanguageFunction } from './define.ts'
import type { Field } from './fields.ts'
import type { IpRange } from './ip-set.ts'
import type { Regex } from './regex/syntax.ts'
import type { Type } from './type.ts'
import type { Integer, Scalar } from './values.ts'
import type { Wildcard } from './wildcard.ts'

export type Logical =
  | { readonly kind: 'combine'; readonly op: LogicalOp; readonly items: readonly Logical[] }
  | { readonly kind: 'not'; readonly item: Logical }
  | { readonly kind: 'group'; readonly item: Logical }
  /** `any(…)` and `all(…)`; over a plain value a missing array makes both false. */
  | { readonly kind: 'quantifier'; readonly op: 'any' | 'all'; readonly over: Logical | Access }
  | { readonly kind: 'compare'; readonly left: Access; readonly test: Test }
  | { readonly kind: 'constant'; readonly value: boolean }

export type LogicalOp = 'or' | 'xor' | 'and'
export type OrderOp = 'eq' | 'ne' | 'ge' | 'le' | 'gt' | 'lt'

/** A field or a call, with the indexes behind it. `type` is that of one element when `[*]` is among them. */
export type Access = {
  readonly kind: 'access'
  readonly base: FieldRef | Call
  readonly indexes: readonly Index[]
  readonly type: Type
}

export type FieldRef = { readonly kind: 'field'; readonly field: Field }
export type Call = {
  readonly kind: 'call'
  readonly function: LanguageFunction
  readonly args: readonly Argument[]
  /** What one call gives; a call over `[*]` gives an array of it. */
  readonly gives: Type
}
export type Index =
  | { readonly at: 'item'; readonly item: number }
  | { readonly at: 'key'; readonly key: string }
  | { readonly at: 'each' }

export type Argument = Access | Literal | Logical
export type Literal = { readonly kind: 'literal'; readonly type: Type; readonly value: Scalar }

export type Test =
  /** The value itself is Boolean, or an array of Booleans. */
  | { readonly by: 'truth' }
  | { readonly by: 'order'; readonly op: OrderOp; readonly right: Literal | Access }
  | { readonly by: 'bits'; readonly mask: Integer }
  | { readonly by: 'contains'; readonly needle: string }
  | { readonly by: 'matches'; readonly pattern: string; readonly regex: Regex }
  | { readonly by: 'wildcard'; readonly strict: boolean; readonly pattern: string; readonly wildcard: Wildcard }
  | { readonly by: 'set'; readonly set: SetItems }
  | { readonly by: 'list'; readonly name: string }

export type SetItems =
  | { readonly of: 'Bytes'; readonly items: readonly string[] }
  | { readonly of: 'Int'; readonly items: readonly IntRange[] }
  | { readonly of: 'Ip'; readonly items: readonly IpRange[] }
export type IntRange = { readonly first: Integer; readonly last: Integer }

export type Root = Logical | Access | Literal

/** A judged expression: its text, its tree and what it gives. */
export type Expression = { readonly text: string; readonly root: Root; readonly type: Type }

export const isLogical = (node: Root): node is Logical => node.kind !== 'access' && node.kind !== 'literal'

export const eachCount = (access: Access): number => access.indexes.filter((index) => index.at === 'each').length
