/** The OpenAPI 3.1 document, made from the operation table. */
import { Type } from 'typebox'
import { envelopeOf, refusalEnvelope } from './envelope.ts'
import { type Operation, pathsOf } from './operation.ts'

type Document = Record<string, unknown> & { readonly paths: Record<string, Record<string, unknown>> }

export function openapi(operations: readonly Operation[], version: string): Document {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    for (const path of pathsOf(operation)) {
      paths[path] ??= {}
      Object.assign(paths[path], { [operation.method.toLowerCase()]: describe(operation, path) })
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Spillway',
      version,
      description: 'Log export jobs and rulesets, per account and per zone.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v4' }, { url: '/client/v4', description: 'For clients of the hosted API' }],
    security: [{ email: [], key: [] }, { token: [] }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        email: { type: 'apiKey', in: 'header', name: 'X-Auth-Email' },
        key: { type: 'apiKey', in: 'header', name: 'X-Auth-Key' },
        token: { type: 'http', scheme: 'bearer' },
      },
      responses: {
        Refused: {
          description: 'The request was refused; `errors` says why and where',
          content: { 'application/json': { schema: refusalEnvelope } },
        },
      },
    },
  }
}

function describe(operation: Operation, path: string): Record<string, unknown> {
  const scoped = operation.place === 'both' ? scopeWord(path) : ''
  return {
    operationId: `${operation.id}${scoped}`,
    summary: operation.summary,
    tags: [operation.tag],
    ...(operation.allowed === 'open' ? { security: [] } : {}),
    ...(operation.allowed === 'open' || operation.allowed === 'anyone' ? {} : { 'x-permission': operation.allowed }),
    ...(operation.only ? { 'x-only': operation.only } : {}),
    parameters: [...pathParameters(operation, path), ...queryParameters(operation)],
    ...(operation.body
      ? { requestBody: { required: true, content: { [bodyType(operation)]: { schema: operation.body } } } }
      : {}),
    responses: { [operation.status ?? 200]: success(operation), '4XX': { $ref: '#/components/responses/Refused' } },
  }
}

const scopeWord = (path: string): string => (path.startsWith('/zones/') ? 'ForZone' : 'ForAccount')

const bodyType = (operation: Operation): string =>
  operation.stream === 'in' ? 'application/x-ndjson' : 'application/json'

function pathParameters(operation: Operation, path: string): unknown[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const hex = { type: 'string', pattern: '^[0-9a-f]{32}$' }
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: (operation.params?.properties as Record<string, unknown> | undefined)?.[name] ?? hex,
  }))
}

function queryParameters(operation: Operation): unknown[] {
  if (!operation.query) return []
  const required: readonly string[] = operation.query.required ?? []
  return Object.entries(operation.query.properties as Record<string, { description?: string; default?: unknown }>).map(
    ([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name) && schema.default === undefined,
      ...(schema.description ? { description: schema.description } : {}),
      schema,
    }),
  )
}

function success(operation: Operation): Record<string, unknown> {
  if (operation.status === 204) return { description: 'Done; no body' }
  if (operation.stream === 'out') return { description: operation.summary, content: { 'application/x-ndjson': {} } }
  return {
    description: operation.summary,
    content: { 'application/json': { schema: envelopeOf(operation.result ?? Type.Null(), operation.pages) } },
  }
}
