import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { dependencies, allowScripts } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
const locked = JSON.parse(read('package-lock.json')).packages as Record<
  string,
  { dev?: boolean; optional?: boolean; hasInstallScript?: boolean }
>
const reasons = new Map(
  [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name = '', why = '']) => [
    name,
    why,
  ]),
)

test('every package that runs with the service is named with its reason, and none besides', () => {
  assert.deepEqual([...reasons.keys()], Object.keys(dependencies ?? {}).toSorted())
  for (const [name, why] of reasons) assert.ok(why.length > 5, name)
})

test('a version is a version and no range', () => {
  for (const [name, version] of Object.entries(dependencies ?? {})) assert.match(version, /^\d+\.\d+\.\d+$/, name)
})

test('no package that runs with the service runs a script when it is installed, but those named', (t) => {
  const running = Object.entries(locked).filter(([path, { dev }]) => path !== '' && !dev)
  const scripted = running.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''))
  t.diagnostic(`${running.length} packages run with the service, ${names.length} of them with a script: ${names}`)
  for (const name of names) {
    assert.ok(allowScripts?.[name], `${name} is not named in allowScripts`)
    assert.match(reasons.get(name) ?? '', /install script/, name)
  }
})
