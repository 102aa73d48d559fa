/** Rules at work: requests of real edges decided, what was decided written down, and rules tried on what is written down. */
export { type DecideOptions, decide, type Edge, type EdgeNeeds, openEdge, type Verdict } from './decide.ts'
export { type Replay, replay } from './replay.ts'
export { type EdgeSettings, edgeSettings, setEdgeSettings } from './settings.ts'
