/** Adds to the score of the request. */
import { object, required, whole } from '../shape.ts'
import { defineAction } from './action.ts'

const parameters = object({ increment: required(whole(-1000, 1000)) })

export const score = defineAction({
  name: 'score',
  says: 'Adds points to the score of its ruleset; a later rule with a `score_threshold` acts when the sum reaches it.',
  terminating: false,
  parameters: () => parameters,
  examples: [{ increment: 5 }],
  act({ increment }, turn) {
    turn.addScore(increment)
    return undefined
  },
})
