/** Asks for whichever proof fits the client. */
import { challengeAnswer, defineAction } from './action.ts'

export const managedChallenge = defineAction({
  name: 'managed_challenge',
  says: 'Holds the request behind a challenge that the edge chooses.',
  terminating: true,
  examples: [{}],
  act: challengeAnswer,
})
