/** The frame around every JSON answer. */
import { type TSchema, Type } from 'typebox'

export type ErrorItem = {
  readonly code: number
  readonly message: string
  readonly documentation_url?: string
  readonly source?: { readonly pointer: string }
}

export type Envelope<T = unknown> = {
  readonly success: boolean
  readonly errors: readonly ErrorItem[]
  readonly messages: readonly ErrorItem[]
  readonly result: T
  readonly result_info?: Readonly<Record<string, unknown>>
}

export const errorItem = Type.Object({
  code: Type.Integer({ minimum: 1000 }),
  message: Type.String(),
  documentation_url: Type.Optional(Type.String()),
  source: Type.Optional(Type.Object({ pointer: Type.String() })),
})

const numberedInfo = Type.Object({
  page: Type.Integer(),
  per_page: Type.Integer(),
  count: Type.Integer(),
  total_count: Type.Integer(),
  total_pages: Type.Integer(),
})

const cursorInfo = Type.Object({
  count: Type.Optional(Type.Integer()),
  per_page: Type.Optional(Type.Integer()),
  cursor: Type.Optional(Type.String()),
  cursors: Type.Optional(Type.Object({ after: Type.String() })),
})

export const envelopeOf = (result: TSchema, pages?: 'numbered' | 'cursor') =>
  Type.Object({
    success: Type.Literal(true),
    errors: Type.Array(errorItem, { maxItems: 0 }),
    messages: Type.Array(errorItem),
    result,
    ...(pages === 'numbered' ? { result_info: numberedInfo } : {}),
    ...(pages === 'cursor' ? { result_info: Type.Optional(cursorInfo) } : {}),
  })

export const refusalEnvelope = Type.Object({
  success: Type.Literal(false),
  errors: Type.Array(errorItem, { minItems: 1 }),
  messages: Type.Array(errorItem),
  result: Type.Null(),
})
