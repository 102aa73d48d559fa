/** Writes an event and nothing else. */
import { defineAction } from './action.ts'

export const log = defineAction({
  name: 'log',
  says: 'Records the match as an event; the request goes on.',
  terminating: false,
  examples: [{}],
})
