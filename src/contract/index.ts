/** The contract: what the API offers, in one table, and what is made from it. */
export * as access from './access.ts'
export * as audit from './audit.ts'
export * as catalogue from './catalogue.ts'
export * from './client.ts'
export * as edge from './edge.ts'
export type { Envelope, ErrorItem } from './envelope.ts'
export * as lists from './lists.ts'
export * as logexport from './logexport.ts'
export * as logs from './logs.ts'
export { openapi } from './openapi.ts'
export {
  type Allowed,
  type BodyOf,
  type Operation,
  type ParamsOf,
  pathsOf,
  type QueryOf,
  type ResultOf,
  type ScopeRef,
} from './operation.ts'
export { operations } from './operations.ts'
export * as preview from './preview.ts'
export * as rulesets from './rulesets.ts'
export * as tail from './tail.ts'
