/**
 * Real servers instead of our emulators: MinIO for kind A, fake-gcs-server for B, Azurite for C, each taking the same
 * walk. The first two come through the Go module proxy into a cache outside the repository; without Go they are skipped,
 * loudly. Not part of `npm test`: the first run compiles for minutes.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { Agent, request } from 'undici'
import { type OutsideSettings, openOutside } from '../src/outside.ts'
import { s3Keys, startAzure, testAuthority, walkStore } from '../test/endpoints/index.ts'

const run = promisify(execFile)

const modules = {
  minio: 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c',
  'fake-gcs-server': 'github.com/fsouza/fake-gcs-server@v1.56.1',
}
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'spillway-interop')

const walks = [
  { name: 'C against Azurite', server: undefined, walk: walkAzurite },
  { name: 'A against MinIO', server: 'minio', walk: walkMinio },
  { name: 'B against fake-gcs-server', server: 'fake-gcs-server', walk: walkGcs },
] as const

async function walkAzurite(): Promise<void> {
  const store = await startAzure()
  try {
    const conf = await store.conf('tenant-logs', 'DIRECTORY')
    await withOutside({ endpoints: { azure: new URL(store.url) } }, (outside) =>
      walkStore({
        outside,
        conf: (directory) => conf.replace('DIRECTORY', () => directory),
        forbidden: conf.replace(/sig=.*/, `sig=${encodeURIComponent(Buffer.alloc(32).toString('base64'))}`),
        read: async (key) => (await store.objects('tenant-logs')).get(`tenant-logs/${key}`),
      }),
    )
  } finally {
    await store.stop()
  }
}

/** Twice: as the operator's own endpoint with the operator's identity, and as a tenant's store with keys in the string. */
async function walkMinio(program: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-minio-'))
  const certs = join(directory, 'certs')
  const { key, cert } = testAuthority().issue(['127.0.0.1'])
  await mkdir(certs)
  await writeFile(join(certs, 'private.key'), key)
  await writeFile(join(certs, 'public.crt'), cert)
  const [port, consolePort] = [await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const flags = [
    '--address',
    `127.0.0.1:${port}`,
    '--console-address',
    `127.0.0.1:${consolePort}`,
    '--certs-dir',
    certs,
  ]
  const env = { MINIO_ROOT_USER: s3Keys.accessKeyId, MINIO_ROOT_PASSWORD: s3Keys.secretAccessKey, HOME: directory }
  const stop = await startServer(
    program,
    ['server', '--quiet', ...flags, join(directory, 'data')],
    env,
    `${url}/minio/health/ready`,
  )
  try {
    for (const bucket of ['operators-logs', 'tenants-logs']) await askMinio('PUT', `${url}/${bucket}`)
    const read = (bucket: string) => (object: string) =>
      askMinio('GET', `${url}/${bucket}/${object.split('/').map(strictEncode).join('/')}`)
    const keys = (secret: string) =>
      `endpoint=127.0.0.1:${port}&access-key-id=${s3Keys.accessKeyId}&secret-access-key=${encodeURIComponent(secret)}`
    await withOutside({ endpoints: { s3: new URL(url) } }, (outside) =>
      walkStore({
        outside,
        conf: (below) => `s3://operators-logs/${below}?region=us-east-1`,
        forbidden: 's3://no-such-bucket/x?region=us-east-1',
        read: read('operators-logs'),
      }),
    )
    await withOutside({}, (outside) =>
      walkStore({
        outside,
        conf: (below) => `s3://tenants-logs/${below}?region=us-east-1&${keys(s3Keys.secretAccessKey)}`,
        forbidden: `s3://tenants-logs/x?region=us-east-1&${keys('not-the-secret')}`,
        read: read('tenants-logs'),
      }),
    )
  } finally {
    await stop()
    await rm(directory, { recursive: true })
  }
}

async function walkGcs(program: string): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const flags = [
    '-backend',
    'memory',
    '-scheme',
    'http',
    '-host',
    '127.0.0.1',
    '-port',
    String(port),
    '-log-level',
    'error',
  ]
  const stop = await startServer(program, flags, {}, `${url}/_internal/healthcheck`)
  try {
    const body = JSON.stringify({ name: 'tenant_logs' })
    await fetch(`${url}/storage/v1/b?project=interop`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    await withOutside({ endpoints: { gcs: new URL(url) } }, (outside) =>
      walkStore({
        outside,
        conf: (directory) => `gs://tenant_logs/${directory}`,
        forbidden: 'gs://no_such_bucket/x',
        async read(key) {
          const answer = await fetch(`${url}/storage/v1/b/tenant_logs/o/${encodeURIComponent(key)}?alt=media`)
          return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined
        },
      }),
    )
  } finally {
    await stop()
  }
}

async function withOutside(
  settings: OutsideSettings,
  walk: (outside: ReturnType<typeof openOutside>) => Promise<void>,
) {
  const outside = openOutside({
    allowedNetworks: ['127.0.0.0/8'],
    certificates: [testAuthority().cert],
    awsCredentials: async () => s3Keys,
    ...settings,
  })
  await walk(outside).finally(() => outside.close())
}

/** The program's path, compiled into the cache if it is not there yet; undefined without Go to do it. */
async function install(name: keyof typeof modules): Promise<string | undefined> {
  const module = modules[name]
  const bin = join(cache, module.slice(module.lastIndexOf('@') + 1))
  const program = join(bin, name)
  if (
    await access(program).then(
      () => true,
      () => false,
    )
  )
    return program
  const hasGo = await run('go', ['version']).then(
    () => true,
    () => false,
  )
  if (!hasGo) return undefined
  console.log(`go install ${module} (minutes, once)`)
  await run('nice', ['go', 'install', module], { cwd: tmpdir(), env: { ...process.env, GOBIN: bin }, maxBuffer: 64e6 })
  return program
}

async function startServer(program: string, args: string[], env: Record<string, string>, ready: string) {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  const answers = () =>
    request(ready, { dispatcher: trusting }).then(
      ({ statusCode }) => statusCode === 200,
      () => false,
    )
  for (let tries = 0; tries < 300 && child.exitCode === null; tries += 1) {
    if (await answers()) return stop
    await sleep(100)
  }
  await stop()
  throw new Error(`${program} did not start`)
}

const trusting = new Agent({ connect: { ca: [testAuthority().cert] } })

async function askMinio(method: string, address: string): Promise<Buffer | undefined> {
  const { host, hostname, protocol, pathname: path } = new URL(address)
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    credentials: s3Keys,
    sha256: Sha256,
    uriEscapePath: false,
  })
  const signed = await signer.sign(new HttpRequest({ method, protocol, hostname, path, headers: { host } }))
  const answer = await request(address, { method: method as 'GET', headers: signed.headers, dispatcher: trusting })
  const body = Buffer.from(await answer.body.arrayBuffer())
  return answer.statusCode === 200 ? body : undefined
}

const strictEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

let failed = 0
for (const { name, server, walk } of walks) {
  try {
    const program = server === undefined ? '' : await install(server)
    if (program === undefined) {
      console.log(`SKIPPED  ${name}: there is no Go on this machine to install ${server} with`)
      continue
    }
    await walk(program)
    console.log(`passed   ${name}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED   ${name}`)
    console.error(error)
  }
}
process.exitCode = failed === 0 ? 0 : 1
