/** Every operation of the API, resource by resource. */
import * as access from './access.ts'
import * as audit from './audit.ts'
import * as catalogue from './catalogue.ts'
import * as edge from './edge.ts'
import * as lists from './lists.ts'
import * as logexport from './logexport.ts'
import * as logs from './logs.ts'
import type { Operation } from './operation.ts'
import * as preview from './preview.ts'
import * as rulesets from './rulesets.ts'
import * as tail from './tail.ts'

export const resources = { access, audit, catalogue, logexport, preview, tail, logs, lists, rulesets, edge } as const

export const operations: readonly Operation[] = Object.values(resources).flatMap((resource) => Object.values(resource))
