/** Asks the client for an interactive proof. */
import { challengeAnswer, defineAction } from './action.ts'

export const challenge = defineAction({
  name: 'challenge',
  says: 'Holds the request until a person answers a challenge.',
  terminating: true,
  examples: [{}],
  act: challengeAnswer,
})
