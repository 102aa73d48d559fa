/** The HTTP mouth of the house. */
export { makeTrust } from './edge/visit.ts'
export { type HttpNeeds, makeServer } from './server.ts'
