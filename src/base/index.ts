/** The ground every room stands on. */
export * from './judged.ts'
export * from './log.ts'
export * from './metrics.ts'
export type * from './permission.ts'
export * from './problem.ts'
export * from './scope.ts'
export * from './secret.ts'
export * from './time.ts'
