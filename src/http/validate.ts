/** Checks what came in against the contract, and says every mistake with its place. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { type Detail, Problem } from '../base/index.ts'

// Bodies are JSON and mean what they say. Paths and queries are text, so numbers and booleans are read from it.
const settings = { strict: false, useDefaults: true, logger: false } as const
const forBodies = new Ajv(settings)
const forSmallBodies = new Ajv({ ...settings, allErrors: true })
const forText = new Ajv({ ...settings, allErrors: true, coerceTypes: true })

/** Compiled when something is checked for the first time: all schemas at once took a sixth of every start. */
export type Check = (value: unknown) => void

export function checkText(schema: TSchema): Check {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= forText.compile(schema)
    if (!validate(value)) throw invalid(validate.errors)
  }
}

/**
 * Every mistake of a body that a person could have written; of a larger one the first. A body may hold hundreds of
 * thousands of wrong members, and naming them all took seconds in which nobody else was served.
 */
export function checkBody(schema: TSchema): Check {
  let validate: ValidateFunction | undefined
  let tellAll: ValidateFunction | undefined
  return (value) => {
    validate ??= forBodies.compile(schema)
    if (validate(value)) return
    if (isLarge(value)) throw invalid(validate.errors)
    tellAll ??= forSmallBodies.compile(schema)
    tellAll(value)
    throw invalid(tellAll.errors)
  }
}

const mostMembers = 5_000

/** Whether a value holds more than so many values; no further counted. */
function isLarge(value: unknown, most = mostMembers): boolean {
  const waiting = [value]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > most) return true
    const one = waiting.pop()
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) waiting.push(member)
  }
  return false
}

const invalid = (errors: ValidateFunction['errors']): Problem => {
  const [first, ...rest] = details(errors ?? [])
  return new Problem('invalid', [first ?? { code: 1002, message: 'invalid input' }, ...rest])
}

/** At most twenty: an array of a thousand wrong items is one mistake, not a thousand. */
function details(errors: readonly ErrorObject[]): Detail[] {
  const telling = errors.filter(
    (error) =>
      !(error.keyword === 'anyOf' || isNullAlternative(error)) ||
      !errors.some(
        (other) => other !== error && other.instancePath === error.instancePath && !isNullAlternative(other),
      ),
  )
  return telling
    .slice(0, 20)
    .map((error) => ({ code: 1002, message: short(sentence(error)), pointer: short(place(error)) }))
}

/** Names of members are the caller's and may be as long as the body. */
const short = (text: string): string => (text.length > 400 ? `${text.slice(0, 400).toWellFormed()}…` : text)

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
