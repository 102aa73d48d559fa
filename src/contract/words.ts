/** The schema words that several resources share. */
import { type TSchema, Type } from 'typebox'

export const id = Type.String({ pattern: '^[0-9a-f]{32}$', description: '32 lower-case hex digits' })
export const time = Type.String({ description: 'RFC 3339, UTC' })
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const oneOf = <const T extends readonly string[]>(words: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...(description ? { description } : {}) })

/** What people call an account or a token. */
export const name = Type.String({ minLength: 1, maxLength: 100, pattern: String.raw`\S` })
export const gone = Type.Object({ id: Type.String() })
export const jobParams = Type.Object({ job_id: Type.Integer({ minimum: 1 }) })

/** A body in which a key that nobody asked for is a mistake worth saying. */
export const strict = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

export const pageQuery = (perPage: number, most: number) => ({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: most, default: perPage }),
})
