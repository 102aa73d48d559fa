/** Asks the client to run a script. */
import { challengeAnswer, defineAction } from './action.ts'

export const jsChallenge = defineAction({
  name: 'js_challenge',
  says: 'Holds the request until the client has run a script.',
  terminating: true,
  examples: [{}],
  act: challengeAnswer,
})
