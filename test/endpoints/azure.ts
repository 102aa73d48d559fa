/** Azurite, the vendor's own emulator of Blob Storage, in a process of its own; and signatures for its one account. */
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type Azure = {
  /** Without the account: `SPILLWAY_AZURE_ENDPOINT` as it is meant to be set. */
  readonly url: string
  /** A destination string for a container, which is made if need be. */
  conf(container: string, directory?: string, signature?: Partial<SasOptions>): Promise<string>
  /** `container/name` to its bytes. */
  objects(container: string): Promise<ReadonlyMap<string, Buffer>>
  stop(): Promise<void>
}

type SasOptions = { readonly permissions: string; readonly resources: string; readonly expires: Date }

// Published by the vendor for exactly this use.
const account = 'devstoreaccount1'
const accountKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
const version = '2022-11-02'

export async function startAzure(): Promise<Azure> {
  const main = join(dirname(createRequire(import.meta.url).resolve('azurite/package.json')), 'dist/src/blob/main.js')
  const child = spawn(
    process.execPath,
    [
      main,
      '--inMemoryPersistence',
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      '0',
      '--disableTelemetry',
      '--skipApiVersionCheck',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH ?? '' } },
  )
  const url = await addressOf(child.stdout)
  const signed = (path: string, query: string, sas: SasOptions) =>
    `${url}/${account}${path}?${query}${query ? '&' : ''}${accountSas(sas)}`
  const everything = { permissions: 'rwdlac', resources: 'sco', expires: new Date(Date.now() + 3_600_000) }
  const ask = async (path: string, query: string, method = 'GET'): Promise<Response> =>
    fetch(signed(path, query, everything), { method, headers: { 'x-ms-version': version } })

  return {
    url,
    async conf(container, directory = '', signature = {}) {
      const made = await ask(`/${container}`, 'restype=container', 'PUT')
      if (made.status !== 201 && made.status !== 409)
        throw new Error(`no container: ${made.status} ${await made.text()}`)
      const sas = accountSas({ permissions: 'cw', resources: 'o', expires: everything.expires, ...signature })
      return `azure://${account}.blob.core.windows.net/${container}${directory === '' ? '' : `/${directory}`}?${sas}`
    },
    async objects(container) {
      const listing = await (await ask(`/${container}`, 'restype=container&comp=list')).text()
      const names = [...listing.matchAll(/<Name>([^<]+)<\/Name>/g)].map(([, name = '']) =>
        name.replaceAll('&amp;', '&'),
      )
      const bodies = names.map(async (name) => {
        const blob = await ask(`/${container}/${name.split('/').map(encodeURIComponent).join('/')}`, '')
        return [`${container}/${name}`, Buffer.from(await blob.arrayBuffer())] as const
      })
      return new Map(await Promise.all(bodies))
    },
    async stop() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** The emulator says where it listens; its output is read to the end, or it would choke on a full pipe. */
function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((found, failed) => {
    let said = ''
    output.on('data', (part) => {
      said += String(part)
      const address = /successfully listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
      if (address) found(address)
    })
    output.on('end', () => failed(new Error(`Azurite did not start: ${said}`)))
  })
}

/** https://learn.microsoft.com/rest/api/storageservices/create-account-sas */
function accountSas({ permissions, resources, expires }: SasOptions): string {
  const end = expires.toISOString().replace(/\.\d+Z$/, 'Z')
  const text = [account, permissions, 'b', resources, '', end, '', '', version, '', ''].join('\n')
  const signature = createHmac('sha256', Buffer.from(accountKey, 'base64')).update(text).digest('base64')
  return `sv=${version}&ss=b&srt=${resources}&sp=${permissions}&se=${end}&sig=${encodeURIComponent(signature)}`
}
