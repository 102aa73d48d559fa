/** Checks what came in against the contract, and says every mistake with its place. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { type Detail, Problem } from '../base/index.ts'

// Bodies are JSON and mean what they say. Paths and queries are text, so numbers and booleans are read from it.
const settings = { allErrors: true, strict: false, useDefaults: true, logger: false } as const
const forBodies = new Ajv({ ...settings, coerceTypes: false })
const forText = new Ajv({ ...settings, coerceTypes: true })

export type Check = (value: unknown) => void

export const checkBody = (schema: TSchema): Check => throwing(forBodies.compile(schema), '')
export const checkText = (schema: TSchema): Check => throwing(forText.compile(schema), '')

const throwing =
  (validate: ValidateFunction, prefix: string): Check =>
  (value) => {
    if (validate(value)) return
    const [first, ...rest] = details(validate.errors ?? [], prefix)
    throw new Problem('invalid', [first ?? { code: 1002, message: 'invalid input' }, ...rest])
  }

/** At most twenty: an array of a thousand wrong items is one mistake, not a thousand. */
function details(errors: readonly ErrorObject[], prefix: string): Detail[] {
  const telling = errors.filter(
    (error) =>
      !(error.keyword === 'anyOf' || isNullAlternative(error)) ||
      !errors.some(
        (other) => other !== error && other.instancePath === error.instancePath && !isNullAlternative(other),
      ),
  )
  return telling.slice(0, 20).map((error) => ({ code: 1002, message: sentence(error), pointer: prefix + place(error) }))
}

/** "must be null" is the lesser half of what a nullable value may be. */
const isNullAlternative = ({ keyword, params }: ErrorObject): boolean => keyword === 'type' && params.type === 'null'

function place(error: ErrorObject): string {
  if (error.keyword === 'required') return `${error.instancePath}/${pointerStep(error.params.missingProperty)}`
  if (error.keyword === 'additionalProperties')
    return `${error.instancePath}/${pointerStep(error.params.additionalProperty)}`
  return error.instancePath
}

const pointerStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function sentence(error: ErrorObject): string {
  const name = error.instancePath.slice(1).replaceAll('/', '.') || 'the value'
  switch (error.keyword) {
    case 'required':
      return `${error.params.missingProperty} is required`
    case 'additionalProperties':
      return `unknown field "${error.params.additionalProperty}"`
    case 'enum':
      return `${name} must be one of ${error.params.allowedValues.join(', ')}`
    case 'pattern':
      return `${name} does not match ${error.params.pattern}`
    default:
      return `${name} ${error.message ?? 'is not valid'}`
  }
}
