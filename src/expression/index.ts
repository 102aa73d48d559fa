/** The door of the rules language: judge a text, compile what it means, ask what it needs. */
export { compile, compileValue, type Predicate, type Valuer } from './compile.ts'
export type { LanguageFunction } from './define.ts'
export type { Fault } from './fault.ts'
export { type Field, fields, type Stage } from './fields.ts'
export { functions } from './functions/index.ts'
export { formatIp, type Ip, parseIp } from './ip.ts'
export { type ExpressionReason, type JudgedExpression, judge, type Want } from './judge.ts'
export { defaultLimits, type Limits } from './limits.ts'
export { type List, type Lists, listOf, rangeOf } from './lists.ts'
export { print } from './print.ts'
export { re2Pattern } from './regex/index.ts'
export { fullScheme, type Place, type Scheme, schemeFor } from './scheme.ts'
export {
  type Case,
  type CaseResults,
  type Checked,
  checkText,
  runCases,
  showValue,
  testAgainstRequest,
} from './testing.ts'
export type * from './tree.ts'
export { documentedName, type Type, typeName } from './type.ts'
export { type Uses, uses } from './uses.ts'
export { emptyValues, readValues, setValue, type Value, type Values } from './values.ts'
