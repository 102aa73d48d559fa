/** Ends the connection. */
import { defineAction } from './action.ts'

export const forceConnectionClose = defineAction({
  name: 'force_connection_close',
  says: 'Refuses the request and closes the connection it came on.',
  terminating: true,
  examples: [{}],
  act: () => ({ kind: 'close', status: 403, headers: { connection: 'close' }, body: '' }),
})
