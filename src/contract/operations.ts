/** Every operation of the API, resource by resource. */
import * as access from './access.ts'
import * as audit from './audit.ts'
import type { Operation } from './operation.ts'

export const resources = { access, audit } as const

export const operations: readonly Operation[] = Object.values(resources).flatMap((resource) => Object.values(resource))
