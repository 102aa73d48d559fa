/** The kinds of destination as forms: what to ask for, how the string is put together, and where its challenge is found. */

export type Input = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly isSecret?: true
  readonly isOptional?: true
  readonly initial?: string
  readonly choices?: readonly (readonly [value: string, words: string])[]
}

export type Values = Readonly<Record<string, string>>

export type Kind = {
  readonly kind: string
  readonly title: string
  readonly says: string
  readonly inputs: readonly Input[]
  build(values: Values): string
  /** What a person does to read the challenge. */
  readonly challenge: string
}

const text = (values: Values, name: string): string => (values[name] ?? '').trim()

/** `?a=b&c=d` of those that have a value. */
function query(values: Values, names: Readonly<Record<string, string>>): string {
  const parts = Object.entries(names)
    .filter(([input]) => text(values, input) !== '')
    .map(([input, parameter]) => `${parameter}=${encodeURIComponent(text(values, input))}`)
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}

const below = (directory: string): string => (directory === '' ? '' : `/${directory.replace(/^\/+|\/+$/g, '')}`)
const withoutScheme = (address: string): string => address.replace(/^[a-z0-9]+:\/\//i, '')

const directory: Input = {
  name: 'directory',
  label: 'Directory',
  placeholder: 'edge/{DATE}',
  hint: '{DATE} becomes the day, such as 20260131; {HOUR} and {MINUTE} work too.',
  isOptional: true,
}
const bucket: Input = { name: 'bucket', label: 'Bucket', placeholder: 'example-logs' }
const keyId: Input = { name: 'keyId', label: 'Access key id' }
const secretKey: Input = { name: 'secretKey', label: 'Secret access key', isSecret: true }
const inStore = 'Open the file below in your store, with its console or its command line, and paste the text it holds.'
const inReceiver =
  'One record arrived at the receiver. Look it up by the file name below, and paste the value of its member “content”.'

export const kinds: readonly Kind[] = [
  {
    kind: 's3',
    title: 'Amazon S3',
    says: 'or a store that speaks its protocol',
    inputs: [
      bucket,
      directory,
      { name: 'region', label: 'Region', placeholder: 'eu-central-1' },
      {
        name: 'sse',
        label: 'Encryption',
        choices: [
          ['', 'As the bucket says'],
          ['AES256', 'AES256, demanded by the bucket’s policy'],
        ],
        isOptional: true,
      },
      {
        name: 'endpoint',
        label: 'Endpoint',
        placeholder: 'store.example.com',
        hint: 'Only for other stores.',
        isOptional: true,
      },
      { ...keyId, isOptional: true, hint: 'Only for other stores.' },
      { ...secretKey, isOptional: true },
    ],
    build: (values) =>
      `s3://${text(values, 'bucket')}${below(text(values, 'directory'))}${query(values, {
        region: 'region',
        sse: 'sse',
        endpoint: 'endpoint',
        keyId: 'access-key-id',
        secretKey: 'secret-access-key',
      })}`,
    challenge: inStore,
  },
  {
    kind: 'gcs',
    title: 'Google Cloud Storage',
    says: 'a bucket the service may write to',
    inputs: [bucket, directory],
    build: (values) => `gs://${text(values, 'bucket')}${below(text(values, 'directory'))}`,
    challenge: inStore,
  },
  {
    kind: 'azure',
    title: 'Azure Blob Storage',
    says: 'by a shared access signature',
    inputs: [
      {
        name: 'url',
        label: 'Signed URL of the container',
        placeholder: 'https://account.blob.core.windows.net/logs?sv=…&sig=…',
        isSecret: true,
      },
      directory,
    ],
    build(values) {
      const [address = '', signature = ''] = withoutScheme(text(values, 'url')).split('?')
      return `azure://${address.replace(/\/+$/, '')}${below(text(values, 'directory'))}?${signature}`
    },
    challenge: inStore,
  },
  {
    kind: 'r2',
    title: 'R2 object storage',
    says: 'a bucket with its own keys',
    inputs: [bucket, directory, { name: 'account', label: 'Account id' }, keyId, secretKey],
    build: (values) =>
      `r2://${text(values, 'bucket')}${below(text(values, 'directory'))}${query(values, {
        account: 'account-id',
        keyId: 'access-key-id',
        secretKey: 'secret-access-key',
      })}`,
    challenge: inStore,
  },
  {
    kind: 'datadog',
    title: 'Datadog',
    says: 'its logs intake',
    inputs: [
      { name: 'endpoint', label: 'Endpoint', initial: 'http-intake.logs.datadoghq.com/api/v2/logs' },
      { name: 'key', label: 'API key', isSecret: true },
      { name: 'source', label: 'Source', isOptional: true },
      { name: 'service', label: 'Service', isOptional: true },
      { name: 'host', label: 'Host', isOptional: true },
      { name: 'tags', label: 'Tags', placeholder: 'env:live,team:edge', isOptional: true },
    ],
    build: (values) =>
      `datadog://${withoutScheme(text(values, 'endpoint'))}${query(values, {
        key: 'header_DD-API-KEY',
        source: 'ddsource',
        service: 'service',
        host: 'host',
        tags: 'ddtags',
      })}`,
    challenge: inReceiver,
  },
  {
    kind: 'newrelic',
    title: 'New Relic',
    says: 'its log API',
    inputs: [
      {
        name: 'host',
        label: 'Region',
        initial: 'log-api.newrelic.com',
        choices: [
          ['log-api.newrelic.com', 'United States'],
          ['log-api.eu.newrelic.com', 'Europe'],
        ],
      },
      { name: 'key', label: 'License key', isSecret: true },
    ],
    build: (values) =>
      `https://${text(values, 'host')}/log/v1?Api-Key=${encodeURIComponent(text(values, 'key'))}&format=cloudflare`,
    challenge: inReceiver,
  },
  {
    kind: 'splunk',
    title: 'Splunk',
    says: 'HTTP Event Collector',
    inputs: [
      { name: 'host', label: 'Collector', placeholder: 'collector.example.com:8088' },
      { name: 'channel', label: 'Channel', placeholder: '0f3fa53e-5f0c-4a45-9b6a-3d3f3a1b2c4d' },
      { name: 'token', label: 'Token', isSecret: true },
      { name: 'sourcetype', label: 'Source type', initial: 'edge:json', isOptional: true },
      {
        name: 'skip',
        label: 'Certificate',
        initial: 'false',
        choices: [
          ['false', 'Check it'],
          ['true', 'Do not check it (for tests only)'],
        ],
      },
    ],
    build: (values) =>
      `splunk://${withoutScheme(text(values, 'host'))}/services/collector/raw${query(
        { ...values, authorization: `Splunk ${text(values, 'token')}` },
        {
          channel: 'channel',
          skip: 'insecure-skip-verify',
          sourcetype: 'sourcetype',
          authorization: 'header_Authorization',
        },
      )}`,
    challenge: inReceiver,
  },
  {
    kind: 'sumo',
    title: 'Sumo Logic',
    says: 'a hosted HTTP source',
    inputs: [
      {
        name: 'url',
        label: 'Source address',
        placeholder: 'https://endpoint1.collection.example.com/receiver/v1/http/…',
        isSecret: true,
      },
    ],
    build: (values) => `sumo://${withoutScheme(text(values, 'url'))}`,
    challenge: inReceiver,
  },
  {
    kind: 'https',
    title: 'HTTPS receiver',
    says: 'your own endpoint, signed requests',
    inputs: [
      { name: 'url', label: 'Address', placeholder: 'https://logs.example.com/ingest' },
      { name: 'authorization', label: 'Authorization header', isSecret: true, isOptional: true },
    ],
    build(values) {
      const header = text(values, 'authorization')
      const url = text(values, 'url')
      if (header === '') return url
      return `${url}${url.includes('?') ? '&' : '?'}header_Authorization=${encodeURIComponent(header)}`
    },
    challenge: inReceiver,
  },
  {
    kind: 'file',
    title: 'Files of the service',
    says: 'below its export directory',
    inputs: [{ ...directory, placeholder: 'team/logs/{DATE}' }],
    build: (values) => `file://${below(text(values, 'directory')) || '/'}`,
    challenge:
      'Open the file below in the export directory of the service (SPILLWAY_FILE_ROOT, by default data/exports) and paste the text it holds.',
  },
]

/** The string with every secret as dots, to be looked at. */
export function maskedBuild(kind: Kind, values: Values): string {
  const masked = Object.fromEntries(
    kind.inputs.map(({ name, isSecret }) => {
      const value = values[name] ?? ''
      return [name, isSecret && value !== '' ? maskOf(value) : maskParameters(value)]
    }),
  )
  return kind.build(masked).replaceAll(encodeURIComponent(dots), dots)
}

const dots = '••••'

/** What an address says behind its question mark may be a secret too. */
const maskParameters = (text: string): string => text.replaceAll(/([?&][^=&]*=)[^&]*/g, `$1${dots}`)

/** An address that carries its secret keeps its host. */
const maskOf = (secret: string): string => {
  const [, origin] = /^([a-z]+:\/\/[^/?]+\/)/i.exec(secret) ?? []
  return origin ? `${origin}${dots}` : dots
}
