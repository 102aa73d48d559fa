/** What `npm run bench` does: runs bench/*.bench.ts one after the other, or those whose names are given. Each states its budget. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const asked = process.argv.slice(2)
const nameOf = (file: string) => basename(file, '.bench.ts')
const benches = globSync('bench/*.bench.ts', { cwd: root }).sort()
const unknown = asked.filter((name) => !benches.some((file) => nameOf(file) === name))
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${benches.map(nameOf).join(', ')}.`)
  process.exit(2)
}
for (const file of benches.filter((one) => asked.length === 0 || asked.includes(nameOf(one)))) {
  console.log(`\n${nameOf(file)}`)
  const { status } = spawnSync(process.execPath, [file], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
