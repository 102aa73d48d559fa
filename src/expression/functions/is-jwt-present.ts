/** The function `is_jwt_present` of the rules language: its page, its examples, its work. */
import { defineFunction, literal } from '../define.ts'

export const isJwtPresent = defineFunction({
  name: 'is_jwt_present',
  says: 'True when the request carries the token that a token configuration describes.',
  takes: [literal('token_configuration_id', 'Bytes')],
  gives: 'Bool',
  examples: [['is_jwt_present("51231d16-01f1-48e3-93f8-91c99e81288e")', false]],
  ask: (values, id) => values.tokens.has(id),
})
