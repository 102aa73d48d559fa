#!/usr/bin/env node
// The sources in a checkout, the compiled form in an installed package, which has no sources; either needs Node 24.
import { existsSync } from 'node:fs'

const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(
    [
      `Spillway needs Node 24 or newer; this is ${process.version}.`,
      'In a checkout "npm start" and "npx spillway" bring their own. Elsewhere install one from https://nodejs.org,',
      'or let npm bring it for this run: npx --package node@24 --package spillway spillway serve',
    ].join('\n'),
  )
  process.exit(1)
}
const sources = new URL('../src/main.ts', import.meta.url)
// Compiled once, a command in a checkout costs less than half: 0.4 instead of 1.1 CPU-seconds.
if (existsSync(sources)) {
  // Loaded here, because an older Node does not have it and would not get as far as the words above.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(new URL('../node_modules/.cache/compile', import.meta.url).pathname)
}
await import(existsSync(sources) ? sources.href : '../dist/src/main.js')
