/** The HTTP mouth of the house. */
export { type HttpNeeds, makeServer } from './server.ts'
