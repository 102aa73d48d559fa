/** The function `is_jwt_valid` of the rules language: its page, its examples, its work. */
import { defineFunction, literal } from '../define.ts'

export const isJwtValid = defineFunction({
  name: 'is_jwt_valid',
  says: 'True when the request carries a valid token for a token configuration; false when it carries none.',
  takes: [literal('token_configuration_id', 'Bytes')],
  gives: 'Bool',
  examples: [['is_jwt_valid("51231d16-01f1-48e3-93f8-91c99e81288e")', false]],
  ask: (values, id) => values.tokens.get(id) === true,
})
