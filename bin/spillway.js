#!/usr/bin/env node
// The compiled form when this is an installed package, the sources when it is a checkout; either needs Node 24.
import { existsSync } from 'node:fs'

const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(
    `Spillway needs Node 24 or newer; this is ${process.version}. In a checkout, "npm start" and "npx spillway" bring their own.`,
  )
  process.exit(1)
}
const compiled = new URL('../dist/src/main.js', import.meta.url)
await import(existsSync(compiled) ? compiled.href : '../src/main.ts')
