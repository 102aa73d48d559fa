/** What records look like, and what a caller may say about which of them to read and how to write them. */
export * from './accesslog.ts'
export * from './dataset.ts'
export * from './filter.ts'
export * from './generate.ts'
export * from './options.ts'
export * from './output.ts'
export * from './registry.ts'
export * from './selection.ts'
