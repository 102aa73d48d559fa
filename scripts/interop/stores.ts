/** Object stores that others wrote, on 127.0.0.1: each starts, lets us write as a tenant would, and lets us meddle. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { Agent, request } from 'undici'
import type { OutsideSettings } from '../../src/outside.ts'
import { type StoreUnderTest, s3Keys, startAzure, testAuthority } from '../../test/endpoints/index.ts'

/** One bucket as one sort of tenant reaches it; `write` and `remove` go behind the service's back. */
export type RealBucket = Omit<StoreUnderTest, 'outside'> & {
  readonly network: OutsideSettings
  write(key: string, body: Buffer): Promise<void>
  remove(key: string): Promise<void>
}

export type RealStore = { readonly buckets: readonly RealBucket[]; stop(): Promise<void> }

const network: OutsideSettings = {
  allowedNetworks: ['127.0.0.0/8'],
  certificates: [testAuthority().cert],
  awsCredentials: async () => s3Keys,
}
const trusting = new Agent({ connect: { ca: [testAuthority().cert] } })

/** The signature may read too: without that right a look shows nothing. */
export async function startAzurite(): Promise<RealStore> {
  const { url, conf: makeConf, objects, stop } = await startAzure()
  const conf = await makeConf('tenant-logs', 'DIRECTORY', { permissions: 'rcwd' })
  const ask = async (method: string, key: string, body: Buffer | null = null) => {
    const { pathname, search } = new URL(conf.replace('azure:', 'https:').replace('DIRECTORY', () => encodePath(key)))
    const headers = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2022-11-02' }
    const { statusCode } = await request(`${url}/devstoreaccount1${pathname}${search}`, {
      method: method as 'PUT',
      headers,
      body,
    })
    if (statusCode >= 300) throw new Error(`Azurite answered ${statusCode} to ${method}`)
  }
  const bucket: RealBucket = {
    network: { ...network, endpoints: { azure: new URL(url) } },
    conf: (directory) => conf.replace('DIRECTORY', () => directory),
    forbidden: conf.replace(/sig=.*/, `sig=${encodeURIComponent(Buffer.alloc(32).toString('base64'))}`),
    read: async (key) => (await objects('tenant-logs')).get(`tenant-logs/${key}`),
    write: (key, body) => ask('PUT', key, body),
    remove: (key) => ask('DELETE', key),
  }
  return { buckets: [bucket], stop }
}

/** Two buckets: at the operator's own endpoint with the operator's identity, and a tenant's with keys in the string. */
export async function startMinio(program: string): Promise<RealStore> {
  const directory = await mkdtemp(join(tmpdir(), 'spillway-minio-'))
  const certs = join(directory, 'certs')
  const { key, cert } = testAuthority().issue(['127.0.0.1'])
  await mkdir(certs)
  await writeFile(join(certs, 'private.key'), key)
  await writeFile(join(certs, 'public.crt'), cert)
  const [port, consolePort] = [await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const addresses = ['--address', `127.0.0.1:${port}`, '--console-address', `127.0.0.1:${consolePort}`]
  const stop = await startServer(
    program,
    ['server', '--quiet', ...addresses, '--certs-dir', certs, join(directory, 'data')],
    { MINIO_ROOT_USER: s3Keys.accessKeyId, MINIO_ROOT_PASSWORD: s3Keys.secretAccessKey, HOME: directory },
    `${url}/minio/health/ready`,
  )
  const bucket = async (name: string, settings: OutsideSettings, query: string, forbidden: string) => {
    await askMinio('PUT', `${url}/${name}`)
    const address = (object: string) => `${url}/${name}/${encodePath(object)}`
    return {
      network: { ...network, ...settings },
      conf: (below: string) => `s3://${name}/${below}?region=us-east-1${query}`,
      forbidden,
      read: (object: string) => askMinio('GET', address(object)),
      async write(object: string, body: Buffer) {
        await askMinio('PUT', address(object), body)
      },
      async remove(object: string) {
        await askMinio('DELETE', address(object))
      },
    }
  }
  const keys = (secret: string) =>
    `&endpoint=127.0.0.1:${port}&access-key-id=${s3Keys.accessKeyId}&secret-access-key=${encodeURIComponent(secret)}`
  const forged = `s3://tenants-logs/x?region=us-east-1${keys('not-the-secret')}`
  return {
    buckets: [
      await bucket('operators-logs', { endpoints: { s3: new URL(url) } }, '', 's3://no-such-bucket/x?region=us-east-1'),
      await bucket('tenants-logs', {}, keys(s3Keys.secretAccessKey), forged),
    ],
    async stop() {
      await stop()
      await rm(directory, { recursive: true })
    },
  }
}

export async function startFakeGcs(program: string): Promise<RealStore> {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const flags = ['-backend', 'memory', '-scheme', 'http', '-host', '127.0.0.1', '-port', port, '-log-level', 'error']
  const stop = await startServer(program, flags, {}, `${url}/_internal/healthcheck`)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'tenant_logs' })
  await fetch(`${url}/storage/v1/b?project=interop`, { method: 'POST', body, headers })
  const address = (key: string) => `${url}/storage/v1/b/tenant_logs/o/${encodeURIComponent(key)}`
  const bucket: RealBucket = {
    network: { ...network, endpoints: { gcs: new URL(url) } },
    conf: (directory) => `gs://tenant_logs/${directory}`,
    forbidden: 'gs://no_such_bucket/x',
    async read(key) {
      const answer = await fetch(`${address(key)}?alt=media`)
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined
    },
    async write(key, object) {
      const upload = `${url}/upload/storage/v1/b/tenant_logs/o?uploadType=media&name=${encodeURIComponent(key)}`
      await fetch(upload, { method: 'POST', body: new Uint8Array(object) })
    },
    async remove(key) {
      await fetch(address(key), { method: 'DELETE' })
    },
  }
  return { buckets: [bucket], stop }
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

/** What the object holds, or the server's empty answer; undefined for anything but success. */
async function askMinio(method: string, address: string, body?: Buffer): Promise<Buffer | undefined> {
  const { host, hostname, protocol, pathname: path } = new URL(address)
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    credentials: s3Keys,
    sha256: Sha256,
    uriEscapePath: false,
  })
  const unsigned = new HttpRequest({ method, protocol, hostname, path, headers: { host }, body })
  const { headers } = await signer.sign(unsigned)
  const answer = await request(address, { method: method as 'GET', headers, body: body ?? null, dispatcher: trusting })
  const read = Buffer.from(await answer.body.arrayBuffer())
  return answer.statusCode < 300 ? read : undefined
}

const encodePath = (key: string): string => key.split('/').map(strictEncode).join('/')

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
