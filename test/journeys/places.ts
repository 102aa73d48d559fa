/** For each kind a place to export to, started for the test, and the way its owner would read a challenge there. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutsideSettings } from '../../src/outside.ts'
import {
  type Receiver,
  s3Keys,
  startAzure,
  startGcs,
  startReceiver,
  startS3,
  testAuthority,
} from '../endpoints/index.ts'

export type Place = {
  /** The letter of the spec where it has one. */
  readonly name: string
  /** A destination string; another `part` makes it another destination. */
  conf(part: string): Promise<string>
  /** What the owner reads under the name that the answer gave. */
  token(filename: string, part: string): Promise<string>
  /** Texts in the string that nobody else may ever see. */
  secrets(part: string): readonly string[]
}

export type Places = {
  readonly places: readonly Place[]
  /** The network in which they are found. */
  readonly network: OutsideSettings
  stop(): Promise<void>
}

export async function startPlaces(fileRoot: () => string): Promise<Places> {
  const certificate = testAuthority().issue(['127.0.0.1'])
  const [s3, ownS3, gcs, azure] = await Promise.all([
    startS3(),
    startS3({ certificate }),
    startGcs({ token: 'token-of-the-operator', certificate }),
    startAzure(),
  ])
  const [datadog, newrelic, splunk, sumo, https] = await Promise.all(
    (['datadog', 'newrelic', 'splunk', 'sumo', 'https'] as const).map((kind) => startReceiver(kind)),
  )
  const receivers = { datadog, newrelic, splunk, sumo, https } as Record<string, Receiver>
  const hostOf = (kind: string) => receivers[kind]?.host ?? ''
  const said = (bytes: Buffer | undefined) => String(bytes ?? '').replace(/\n$/, '')
  const stored = (store: { objects(): ReadonlyMap<string, { body: Buffer }> }) => async (filename: string) =>
    said(store.objects().get(`tenant-logs/${filename}`)?.body)
  /** A receiver shows records; the one that names the file carries the token. */
  const heard = (kind: string) => async (filename: string) => {
    const records = (receivers[kind]?.requests() ?? []).map(({ text }) => JSON.parse(text))
    return String(records.find((record) => record.filename === filename)?.content)
  }
  const none = () => []

  const places: readonly Place[] = [
    {
      name: 'A (s3)',
      conf: async (part) => `s3://tenant-logs/${part}/{DATE}?region=us-east-1&sse=AES256`,
      token: stored(s3),
      secrets: none,
    },
    {
      name: 'A with keys (s3-compatible)',
      conf: async (part) =>
        `s3://tenant-logs/${part}?region=auto&endpoint=127.0.0.1:${ownS3.port}&access-key-id=${s3Keys.accessKeyId}&secret-access-key=${encodeURIComponent(s3Keys.secretAccessKey)}`,
      token: stored(ownS3),
      secrets: () => [s3Keys.secretAccessKey],
    },
    { name: 'B (gs)', conf: async (part) => `gs://tenant-logs/${part}/{DATE}`, token: stored(gcs), secrets: none },
    azurePlace(azure),
    {
      name: 'D (datadog)',
      conf: async (part) =>
        `datadog://${hostOf('datadog')}/api/v2/logs?header_DD-API-KEY=dd-secret-${part}&ddsource=edge&service=${part}`,
      token: heard('datadog'),
      secrets: (part) => [`dd-secret-${part}`],
    },
    {
      name: 'E (New Relic)',
      conf: async (part) =>
        `https://log-api.newrelic.com:${newrelic?.port}/log/v1?Api-Key=nr+secret-${part}&format=cloudflare`,
      token: heard('newrelic'),
      secrets: (part) => [`nr+secret-${part}`, `nr secret-${part}`],
    },
    {
      name: 'F (splunk)',
      conf: async (part) =>
        `splunk://${hostOf('splunk')}/services/collector/raw?channel=${part}&insecure-skip-verify=false&sourcetype=edge%3Ajson&header_Authorization=Splunk%20splunk-secret-${part}`,
      token: heard('splunk'),
      secrets: (part) => [`splunk-secret-${part}`],
    },
    {
      name: 'G (sumo)',
      conf: async (part) => `sumo://${hostOf('sumo')}/receiver/v1/http/sumo-secret-${part}==`,
      token: heard('sumo'),
      secrets: (part) => [`sumo-secret-${part}`],
    },
    {
      name: 'generic https',
      conf: async (part) =>
        `https://${hostOf('https')}/${part}?header_Authorization=Bearer%20https-secret-${part}&key=query-secret-${part}`,
      token: heard('https'),
      secrets: (part) => [`https-secret-${part}`, `query-secret-${part}`],
    },
    {
      name: 'file',
      conf: async (part) => `file:///${part}/{DATE}`,
      token: async (filename) => said(await readFile(join(fileRoot(), filename))),
      secrets: none,
    },
  ]
  return {
    places,
    network: {
      allowedNetworks: ['127.0.0.0/8'],
      certificates: [testAuthority().cert],
      endpoints: { s3: new URL(s3.url), gcs: new URL(gcs.url), azure: new URL(azure.url) },
      awsCredentials: async () => s3Keys,
      googleToken: async () => 'token-of-the-operator',
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    },
    async stop() {
      await Promise.all([s3, ownS3, gcs, azure, ...Object.values(receivers)].map((server) => server.stop()))
    },
  }
}

/** A signature differs each time it is made, so each part keeps its own. */
function azurePlace(azure: Awaited<ReturnType<typeof startAzure>>): Place {
  const confs = new Map<string, Promise<string>>()
  const conf = (part: string) => {
    const made = confs.get(part) ?? azure.conf(`tenant-${part}`, 'edge/{DATE}')
    confs.set(part, made)
    return made
  }
  const secrets = new Map<string, string>()
  return {
    name: 'C (azure)',
    async conf(part) {
      const text = await conf(part)
      secrets.set(part, decodeURIComponent(/sig=([^&]+)/.exec(text)?.[1] ?? ''))
      return text
    },
    async token(filename, part) {
      const objects = await azure.objects(`tenant-${part}`)
      return String(objects.get(`tenant-${part}/${filename}`) ?? '').replace(/\n$/, '')
    },
    secrets: (part) => [secrets.get(part) ?? ''],
  }
}
