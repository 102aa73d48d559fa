/** The embedded record engine: a child process that answers the part of ClickHouse's HTTP protocol we use. */
export { answerHeader, rowsHeader } from './answer.ts'
export { type Engine, type EngineAddress, type EngineOptions, startEngine } from './supervisor.ts'
