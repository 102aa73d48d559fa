/** Rules at work: requests decided for an edge, a trace as the hosted tracer asks for it, and rules tried on stored requests. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { traceRequest } from './rulesets.ts'
import { nullable, oneOf, strict, time } from './words.ts'

const tag = 'Edge'

export const decide = operation({
  id: 'decide',
  summary:
    'What the deployed rules do to a request: 200 with headers to set, or the answer to give. ' +
    'Any method, here and on every path below; `?as=auth_request` for nginx',
  tag,
  method: 'GET',
  place: 'zone',
  path: '/edge/decide',
  allowed: 'edge:decide',
  stream: 'out',
  mirrors: true,
  rateLimited: false,
})

const settings = {
  on_failure: oneOf(['open', 'closed'], 'What becomes of requests that cannot be decided: they pass, or are refused'),
}

export const viewEdgeSettings = operation({
  id: 'viewEdgeSettings',
  summary: 'What an edge is told when a request cannot be decided',
  tag,
  method: 'GET',
  place: 'zone',
  path: '/edge/settings',
  allowed: 'rulesets:read',
  result: Type.Object(settings),
})

export const updateEdgeSettings = operation({
  id: 'updateEdgeSettings',
  summary: 'Say what an edge is told when a request cannot be decided',
  tag,
  method: 'PUT',
  place: 'zone',
  path: '/edge/settings',
  allowed: 'rulesets:edit',
  body: strict(settings),
  result: Type.Object(settings),
})

export const traceAsHosted = operation({
  ...traceRequest,
  id: 'traceAsHosted',
  summary: 'The same trace at the address of the hosted tracer',
  place: 'account',
  path: '/request-tracer/trace',
})

const top = Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }))

const unknowns = {
  fields_not_recorded: Type.Array(Type.String(), { description: 'Fields it uses that records do not hold' }),
  functions_not_replayed: Type.Array(Type.String(), { description: 'What it uses that cannot be asked of records' }),
}

export const replayRules = operation({
  id: 'replayRules',
  summary: 'Which stored requests an expression, a rule or a ruleset would have matched',
  tag,
  method: 'POST',
  place: 'both',
  path: '/rulesets/replay',
  allowed: 'logs:read',
  body: strict({
    expression: Type.Optional(Type.String()),
    rule: Type.Optional(
      Type.Object(
        { expression: Type.String() },
        { additionalProperties: true, description: 'A rule as it is written' },
      ),
    ),
    ruleset: Type.Optional(
      Type.Union([
        Type.String({ description: 'The id of a ruleset' }),
        Type.Object(
          { rules: Type.Array(Type.Object({ expression: Type.String() }, { additionalProperties: true })) },
          { additionalProperties: true },
        ),
      ]),
    ),
    start: Type.Optional(time),
    end: Type.Optional(time),
  }),
  result: Type.Object({
    start: time,
    end: time,
    total: Type.Integer({ description: 'Requests in that time' }),
    count: nullable(Type.Integer({ description: 'Those that match; null when that cannot be told' })),
    share: nullable(Type.Number({ description: 'count / total' })),
    sample: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'Up to ten of them, newest first' }),
    top: Type.Object({ path: top, country: top, address: top }),
    rules: Type.Array(
      Type.Object({
        expression: Type.String(),
        description: Type.Optional(Type.String()),
        action: Type.Optional(Type.String()),
        count: nullable(Type.Integer()),
        ...unknowns,
      }),
      { description: 'Each rule by itself, in order' },
    ),
    ...unknowns,
  }),
})
