/** The ten destinations of the siege, nine of them behind a proxy that spoils connections, and how to read what came in. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Chaos, startChaos } from '../test/endpoints/chaos.ts'
import {
  type Receiver,
  s3Keys,
  startAzure,
  startGcs,
  startReceiver,
  startS3,
  testAuthority,
} from '../test/endpoints/index.ts'

export type SiegePlace = {
  readonly name: string
  readonly isObjectStore: boolean
  readonly conf: string
  /** Job fields that make the windows of this place differ from the others'. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly chaos?: Chaos
  /** Whether its proxy can say 503. */
  readonly isPlain: boolean
  token(filename: string): Promise<string>
  /** Every object or accepted request by name, as its text. */
  texts(): Promise<ReadonlyMap<string, Buffer>>
}

export type SiegePlaces = {
  readonly places: readonly SiegePlace[]
  readonly receivers: readonly Receiver[]
  /** What the service has to be told to find them. */
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}

const options = { logfetch_options: 'fields=RayID,ClientIP,EdgeStartTimestamp&timestamps=rfc3339' }

export async function startSiegePlaces(): Promise<SiegePlaces> {
  const fileRoot = await mkdtemp(join(tmpdir(), 'spillway-siege-'))
  const caFile = join(fileRoot, '..', `spillway-siege-${process.pid}.pem`)
  await writeFile(caFile, testAuthority().cert)
  const certificate = testAuthority().issue(['127.0.0.1'])
  const [s3, ownS3, gcs, azure] = await Promise.all([startS3(), startS3({ certificate }), startGcs(), startAzure()])
  const [datadog, splunk, sumo, https] = (await Promise.all(
    (['datadog', 'splunk', 'sumo', 'https'] as const).map((kind) => startReceiver(kind)),
  )) as [Receiver, Receiver, Receiver, Receiver]
  const before = (port: number) => startChaos({ port })
  const chaos = {
    s3: await before(s3.port),
    ownS3: await before(ownS3.port),
    gcs: await before(gcs.port),
    azure: await before(Number(new URL(azure.url).port)),
    datadog: await before(datadog.port),
    splunk: await before(splunk.port),
    sumo: await before(sumo.port),
    https: await before(https.port),
  }

  const stored = (store: { objects(): ReadonlyMap<string, { readonly body: Buffer }> }, directory: string) => ({
    token: async (name: string) => String(store.objects().get(`tenant-logs/${name}`)?.body ?? '').trim(),
    texts: async () =>
      new Map(
        [...store.objects()]
          .filter(([name]) => isLog(name, directory))
          .map(([name, { body }]) => [name, body] as const),
      ),
  })
  const heard = (receiver: Receiver) => ({
    token: async (filename: string) => {
      const records = receiver.requests().map(({ text }) => readRecord(text))
      return String(records.find((record) => record.filename === filename)?.content ?? '')
    },
    texts: async () =>
      new Map(
        receiver
          .requests()
          .filter(({ headers }) => headers['content-encoding'] === 'gzip')
          .map(({ bytes }, at) => [String(at), bytes] as const),
      ),
  })
  const files = (directory: string) => ({
    token: async (name: string) => (await readFile(join(fileRoot, name), 'utf8')).trim(),
    texts: async () => {
      const names = (await readdir(join(fileRoot, directory), { recursive: true })).filter((name) => isLog(name, ''))
      return new Map(
        await Promise.all(names.map(async (name) => [name, await readFile(join(fileRoot, directory, name))] as const)),
      )
    },
  })
  const host = (one: Chaos) => `127.0.0.1:${one.port}`
  const keys = `access-key-id=${s3Keys.accessKeyId}&secret-access-key=${encodeURIComponent(s3Keys.secretAccessKey)}`
  const objects = { isObjectStore: true, isPlain: true }
  const requests = { isObjectStore: false, isPlain: false }

  const places: SiegePlace[] = [
    {
      name: 'S3',
      conf: 's3://tenant-logs/siege/{DATE}?region=us-east-1',
      fields: options,
      chaos: chaos.s3,
      ...objects,
      ...stored(s3, 'tenant-logs/siege/'),
    },
    {
      name: 'S3, 1,000 records an object',
      conf: 's3://tenant-logs/small?region=us-east-1',
      fields: { ...options, max_upload_records: 1_000 },
      chaos: chaos.s3,
      ...objects,
      ...stored(s3, 'tenant-logs/small/'),
    },
    {
      name: 'S3-compatible, CSV',
      conf: `s3://tenant-logs/own?region=auto&endpoint=${host(chaos.ownS3)}&${keys}`,
      fields: { output_options: { field_names: ['RayID', 'ClientIP'], output_type: 'csv' } },
      chaos: chaos.ownS3,
      ...objects,
      isPlain: false,
      ...stored(ownS3, 'tenant-logs/own/'),
    },
    {
      name: 'Google Cloud Storage',
      conf: 'gs://tenant-logs/siege/{DATE}/{HOUR}',
      fields: options,
      chaos: chaos.gcs,
      ...objects,
      ...stored(gcs, 'tenant-logs/siege/'),
    },
    {
      name: 'Azure, 5 MB an object',
      conf: await azure.conf('siege', 'edge/{DATE}'),
      fields: { ...options, max_upload_bytes: 5_000_000 },
      chaos: chaos.azure,
      ...objects,
      token: async (name) => String((await azure.objects('siege')).get(`siege/${name}`) ?? '').trim(),
      texts: async () => new Map([...(await azure.objects('siege'))].filter(([name]) => isLog(name, ''))),
    },
    { name: 'files', conf: 'file:///siege/{DATE}', fields: {}, ...objects, ...files('siege') },
    {
      name: 'Datadog',
      conf: `datadog://${host(chaos.datadog)}/api/v2/logs?header_DD-API-KEY=siege`,
      fields: options,
      chaos: chaos.datadog,
      ...requests,
      ...heard(datadog),
    },
    {
      name: 'Splunk',
      conf: `splunk://${host(chaos.splunk)}/services/collector/raw?channel=siege&header_Authorization=Splunk%20siege`,
      fields: options,
      chaos: chaos.splunk,
      ...requests,
      ...heard(splunk),
    },
    {
      name: 'Sumo Logic',
      conf: `sumo://${host(chaos.sumo)}/receiver/v1/http/siege==`,
      fields: options,
      chaos: chaos.sumo,
      ...requests,
      ...heard(sumo),
    },
    {
      name: 'HTTPS, signed, 1,000 records a request',
      conf: `https://${host(chaos.https)}/in?header_Authorization=Bearer%20siege`,
      fields: { ...options, max_upload_records: 1_000 },
      chaos: chaos.https,
      ...requests,
      ...heard(https),
    },
  ]
  return {
    places,
    receivers: [datadog, splunk, sumo, https],
    environment: {
      SPILLWAY_FILE_ROOT: fileRoot,
      SPILLWAY_CA_FILE: caFile,
      SPILLWAY_ALLOWED_NETWORKS: '127.0.0.0/8',
      SPILLWAY_S3_ENDPOINT: `http://${host(chaos.s3)}`,
      SPILLWAY_GCS_ENDPOINT: `http://${host(chaos.gcs)}`,
      SPILLWAY_AZURE_ENDPOINT: `http://${host(chaos.azure)}`,
      AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    },
    async stop() {
      await Promise.all(Object.values(chaos).map((one) => one.stop()))
      await Promise.all([s3, ownS3, gcs, azure, datadog, splunk, sumo, https].map((one) => one.stop()))
      await rm(fileRoot, { recursive: true, force: true })
      await rm(caFile, { force: true })
    },
  }
}

const isLog = (name: string, directory: string): boolean => name.startsWith(directory) && name.endsWith('.log.gz')

/** A challenge is one record; a batch of logs is not one JSON text. */
function readRecord(text: string): { readonly filename?: string; readonly content?: string } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export const unpacked = (bytes: Buffer): string => gunzipSync(bytes).toString('latin1')
