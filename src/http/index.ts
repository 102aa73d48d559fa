/** The HTTP mouth of the house. */
export { isConsoleBuilt } from './console.ts'
export { makeTrust } from './edge/visit.ts'
export { type HttpNeeds, makeServer } from './server.ts'
