/** The package as it is installed: it is complete, holds nothing more, and starts. The long form is `npm run try-package`. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Built, buildPackage } from '../scripts/build-package.ts'
import { freePort } from './postgres.ts'
import { serve, untilReady } from './serve.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

let place: string
let built: Built
before(async () => {
  place = await mkdtemp(join(tmpdir(), 'spillway-package-'))
  built = buildPackage(join(place, 'dist'))
  for (const name of ['package.json', 'bin', 'README.md', 'LICENSE', 'CHANGELOG.md', 'docs/reference'])
    await cp(join(root, name), join(place, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'))
})
after(() => rm(place, { recursive: true, force: true }))

test('what the package imports is a dependency, and no dependency is for development only', () => {
  const undeclared = [...built.packages].filter((name) => !(name in manifest.dependencies))
  assert.deepEqual(undeclared, [])
  const unused = Object.keys(manifest.dependencies).filter((name) => !built.packages.has(name))
  assert.deepEqual(unused, [])
})

test('the package holds what it needs to run and to be read, and no tests or sources', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: place })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  for (const path of [
    'bin/spillway.js',
    'dist/src/main.js',
    'dist/src/engine/child.js',
    'dist/package.json',
    'LICENSE',
  ])
    assert.ok(paths.includes(path), path)
  const strangers = paths.filter((path) => !/^(bin|dist|docs\/reference)\/|^(package\.json|[A-Z]+(\.md)?)$/.test(path))
  assert.deepEqual(strangers, [])
  assert.deepEqual(
    paths.filter((path) => /\.ts$|\btest\b|\/cases\//.test(path)),
    [],
  )
})

test('every file that is read by its place beside the code is in the package', async () => {
  const texts = await Promise.all(
    built.files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const),
  )
  for (const [file, text] of texts) {
    for (const [, path = ''] of text.matchAll(/import\.meta\.dirname, '([^']+)'/g))
      if (existsSync(join(root, file, '..', path)))
        assert.ok(existsSync(join(place, 'dist', file, '..', path)), `${file} reads ${path}`)
  }
})

test('the compiled form tells its version, and serves the API and the console', async (t) => {
  const { stdout } = await run(process.execPath, [join(place, 'bin/spillway.js'), '--version'])
  assert.equal(stdout, `${manifest.version}\n`)
  const port = await freePort()
  const serving = serve(
    { SPILLWAY_PORT: String(port), SPILLWAY_DATA: join(place, 'data') },
    join(place, 'bin/spillway.js'),
  )
  t.after(() => serving.kill())
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  assert.match(await (await fetch(`${url}/v4/zones`)).text(), /"success":false/)
  const isBuilt = existsSync(join(root, 'console/dist/index.html'))
  assert.equal((await fetch(url)).status, isBuilt ? 200 : 503)
})

test('an older Node is told what to do, in place of a stack', async () => {
  const text = await readFile(join(root, 'bin/spillway.js'), 'utf8')
  const old = text.replaceAll('process.versions.node', "'20.19.0'").replaceAll('process.version}', "'v20.19.0'}")
  const asked = run(process.execPath, ['--input-type=module', '--eval', old])
  await assert.rejects(asked, ({ code, stderr }: { code: number; stderr: string }) => {
    assert.equal(code, 1)
    assert.match(stderr, /^Spillway needs Node 24 or newer; this is v20\.19\.0\.\n/)
    assert.match(stderr, /npx --package node@24 --package spillway spillway serve\n$/)
    return true
  })
  assert.equal(manifest.engines.node, '>=24')
})
