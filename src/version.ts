/** Which Spillway this is: the version of the package, beside `src` in a checkout and beside `dist/src` when installed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const version: string = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version
