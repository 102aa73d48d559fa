/**
 * Permission, scope and kind of credential are checked where operations are bound (src/http/bind.ts), for all of them and
 * once. That is enough as long as nobody else turns credentials into a caller, or acts as the service for somebody.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

/** Files outside `access` that take this name from its door. */
const users = (name: string): string[] =>
  sources
    .filter((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const [, taken = ''] = /import (?:type )?\{([^}]*)\} from '(?:\.\.?\/)+access\/index\.ts'/.exec(text) ?? []
      const [, whole] = /import \* as (\w+) from '(?:\.\.?\/)+access\/index\.ts'/.exec(text) ?? []
      return taken.split(',').some((one) => one.trim() === name) || (whole && text.includes(`${whole}.${name}(`))
    })
    .toSorted()

test('only the way in by HTTP turns credentials into a caller', () => {
  assert.deepEqual(users('identify'), ['src/http/caller.ts'])
})

test('the service acts for itself where it starts, in its demo, and when it disables a job: for nobody else', () => {
  assert.deepEqual(users('theService'), ['src/demo.ts', 'src/jobs/end-turn.ts', 'src/service.ts'])
})

test('what only some credentials may do is done by no other room than http', () => {
  for (const name of ['createAccount', 'deleteAccount', 'createZone', 'deleteZone', 'rollKey'])
    assert.deepEqual(users(name), ['src/http/routes/access.ts'], name)
  assert.deepEqual(users('listAudit'), ['src/http/routes/audit.ts'])
})
