/** Lets flood protection choose how to act. */
import { defineAction } from './action.ts'

export const ddosDynamic = defineAction({
  name: 'ddos_dynamic',
  says: 'Leaves the choice of a mitigation to flood protection, which runs outside of rule evaluation; here it only records the match.',
  terminating: false,
  examples: [{}],
})
