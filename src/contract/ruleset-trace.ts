/** Tracing: what the rules in force do with a request that somebody describes. */
import { Type } from 'typebox'
import { operation } from './operation.ts'
import { said } from './ruleset-view.ts'

export type TraceStep = {
  readonly type: string
  readonly step_name: string
  readonly name?: string
  readonly kind?: string
  readonly description?: string
  readonly expression?: string
  readonly action?: string
  readonly action_parameters?: Readonly<Record<string, unknown>>
  readonly matched: boolean
  readonly values?: Readonly<Record<string, unknown>>
  readonly note?: string
  readonly trace?: readonly TraceStep[]
}

export type TraceView = {
  readonly status_code: number
  readonly action: string
  readonly trace: readonly TraceStep[]
  readonly [more: string]: unknown
}

export const traceRequest = operation({
  id: 'traceRequest',
  summary: 'Try a request out on what is deployed: every phase, ruleset and rule looked at, and the result',
  tag: 'Rulesets',
  method: 'POST',
  place: 'both',
  path: '/rulesets/trace',
  allowed: 'rulesets:read',
  body: Type.Object(
    {
      url: Type.Optional(said('Needed', 'https://www.example.com/admin?x=1')),
      method: Type.Optional(said('Needed', 'GET')),
      protocol: Type.Optional(said('HTTP/1.1 unless said otherwise')),
      headers: Type.Optional(said('By name', { 'User-Agent': 'curl/8.5.0' })),
      cookies: Type.Optional(said('By name')),
      body: Type.Optional(said('One of plain_text, json, base64')),
      context: Type.Optional(said('bot_score, threat_score, geoloc')),
      ip: Type.Optional(said('The address of the visitor', '192.0.2.1')),
      fields: Type.Optional(said('Values of other fields by their name', { 'ip.src.country': 'DE' })),
      response: Type.Optional(said('The answer of the origin; with it the response phases run too', { status: 200 })),
      skip_response: Type.Optional(said('Leave the response phases out')),
    },
    { additionalProperties: true },
  ),
  result: Type.Unsafe<TraceView>(
    Type.Object(
      {
        status_code: Type.Integer(),
        action: Type.String({ description: 'Of the rule that answered; allow when the request goes on' }),
        trace: Type.Array(
          Type.Object(
            { type: Type.String(), step_name: Type.String(), matched: Type.Boolean() },
            { additionalProperties: true },
          ),
        ),
      },
      { additionalProperties: true },
    ),
  ),
})
