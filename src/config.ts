/** Every setting, its meaning and its default: the only reader of the environment, and the source of the reference page. */
import { isIP } from 'node:net'
import { accept, type Judged, judgedBy, type Reason, reject, sayReasons } from './base/index.ts'

type Setting<T> = {
  readonly name: string
  readonly says: string
  readonly fallback: string
  read(text: string): Judged<T>
}

const setting = <T>(name: string, fallback: string, says: string, read: (text: string) => Judged<T>): Setting<T> => ({
  name,
  says,
  fallback,
  read,
})

const words = (text: string): Judged<string> => accept(text)
const optional = (text: string): Judged<string | undefined> => accept(text === '' ? undefined : text)
const flag = (text: string): Judged<boolean> =>
  /^(0|1|true|false)$/.test(text) ? accept(text === '1' || text === 'true') : reject('is neither 1 nor 0')
const whole =
  (least: number, most: number) =>
  (text: string): Judged<number> =>
    /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? accept(Number(text))
      : reject(`is not a whole number from ${least} to ${most}`)

const url =
  (...protocols: readonly string[]) =>
  (text: string): Judged<string | undefined> => {
    if (text === '') return accept(undefined)
    const parsed = URL.canParse(text) ? new URL(text) : undefined
    return parsed && protocols.includes(parsed.protocol) && parsed.hostname !== ''
      ? accept(text)
      : reject(`is not an address of the form ${protocols[0]}//host`)
  }

const networks = (text: string): Judged<readonly string[]> => {
  const blocks = list(text)
  const wrong = blocks.filter((block) => {
    const [address = '', bits = ''] = block.split('/')
    const family = isIP(address)
    return family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32)
  })
  return wrong.length === 0
    ? accept(blocks)
    : reject(`holds ${wrong.join(', ')}, which is no CIDR block such as 10.1.0.0/16`)
}

const roles = ['api', 'ingest', 'export'] as const
export type ProcessRole = (typeof roles)[number]

const roleList = (text: string): Judged<readonly ProcessRole[]> => {
  const asked = list(text)
  const known = roles.filter((role) => asked.includes(role))
  return known.length === asked.length && known.length > 0
    ? accept(known)
    : reject(`is not a list of ${roles.join(', ')}`)
}

const secretKey = (text: string): Judged<Buffer | undefined> => {
  if (text === '') return accept(undefined)
  const key = Buffer.from(text, 'base64')
  return key.length === 32 ? accept(key) : reject('is not 32 bytes in base64 (openssl rand -base64 32 makes one)')
}

const clusterName = (text: string): Judged<string | undefined> => {
  if (text === '') return accept(undefined)
  return /^[\w.-]{1,64}$/.test(text) ? accept(text) : reject('is not the name of a cluster')
}

const headerName = (text: string): Judged<string | undefined> => {
  if (text === '') return accept(undefined)
  return /^[A-Za-z0-9-]{1,64}$/.test(text) ? accept(text.toLowerCase()) : reject('is not the name of a header')
}

const logLevel = (text: string): Judged<string> =>
  /^(silent|fatal|error|warn|info|debug|trace)$/.test(text) ? accept(text) : reject('is not a log level such as info')

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const settings = {
  host: setting('SPILLWAY_HOST', '127.0.0.1', 'Address to listen on.', words),
  port: setting('SPILLWAY_PORT', '8787', 'Port to listen on; 0 takes a free one.', whole(0, 65535)),
  data: setting('SPILLWAY_DATA', './data', 'Data directory: metadata, records, spool and keys.', words),
  databaseUrl: setting(
    'SPILLWAY_DATABASE_URL',
    '',
    'PostgreSQL for the metadata, `postgres://user:password@host/database`; SQLite in the data directory when unset.',
    url('postgres:', 'postgresql:'),
  ),
  clickhouseUrl: setting(
    'SPILLWAY_CLICKHOUSE_URL',
    '',
    'ClickHouse for the records, `http(s)://user:password@host:8123/database`; the embedded engine when unset.',
    url('http:', 'https:'),
  ),
  clickhouseCaFile: setting(
    'SPILLWAY_CLICKHOUSE_CA_FILE',
    '',
    'PEM file of the authority that vouches for a ClickHouse with `https`; those that everybody knows when unset.',
    optional,
  ),
  clickhouseCluster: setting(
    'SPILLWAY_CLICKHOUSE_CLUSTER',
    '',
    'Name of a ClickHouse cluster of one shard: tables are replicated on it, and an insert is there when most replicas have it.',
    clusterName,
  ),
  roles: setting('SPILLWAY_ROLES', 'api,ingest,export', 'What this process does.', roleList),
  secretKey: setting(
    'SPILLWAY_SECRET_KEY',
    '',
    '32 bytes in base64 that seal secrets at rest; made at first start and kept in the data directory when unset.',
    secretKey,
  ),
  rateLimit: setting('SPILLWAY_RATE_LIMIT', '1200', 'API requests per user in five minutes.', whole(1, 1e9)),
  requestSeconds: setting(
    'SPILLWAY_REQUEST_SECONDS',
    '300',
    'Longest time a request may take to arrive whole; its headers have at most 20 seconds of it.',
    whole(1, 86_400),
  ),
  logLevel: setting('SPILLWAY_LOG_LEVEL', 'info', 'Least level of log lines, on standard error.', logLevel),
  exportIntervalSeconds: setting(
    'SPILLWAY_EXPORT_INTERVAL_SECONDS',
    '30',
    'How long a window may wait before it is exported; a job’s own `max_upload_interval_seconds` wins.',
    whole(1, 86_400),
  ),
  exportSlots: setting(
    'SPILLWAY_EXPORT_SLOTS',
    '4',
    'How many jobs this process exports at the same time.',
    whole(1, 256),
  ),
  trustedProxies: setting(
    'SPILLWAY_TRUSTED_PROXIES',
    '127.0.0.1/32,::1/128',
    'CIDR blocks of the edges whose `X-Forwarded-*` and `X-Original-*` headers `/edge/decide` believes.',
    networks,
  ),
  edgeFactsHeader: setting(
    'SPILLWAY_EDGE_FACTS_HEADER',
    '',
    'Header in which a trusted edge tells other fields, `ip.src.country=DE; ip.src.asnum=64500`. The edge must overwrite it; unset, none is read.',
    headerName,
  ),
  leaseSeconds: setting(
    'SPILLWAY_LEASE_SECONDS',
    '30',
    'How long a job stays with an exporter that died before another one takes it over.',
    whole(3, 3600),
  ),
  allowedNetworks: setting(
    'SPILLWAY_ALLOWED_NETWORKS',
    '',
    'CIDR blocks that destinations may reach although they are private, separated by commas.',
    networks,
  ),
  fileRoot: setting(
    'SPILLWAY_FILE_ROOT',
    '',
    'Directory below which `file://` destinations write; unset, the kind is off.',
    optional,
  ),
  caFile: setting(
    'SPILLWAY_CA_FILE',
    '',
    'PEM file of further certificate authorities that destinations may be signed by.',
    optional,
  ),
  ownership: setting(
    'SPILLWAY_OWNERSHIP',
    'always',
    '`always`: every job needs an ownership challenge. `storage`: only kinds whose string carries no credential.',
    (text): Judged<'always' | 'storage'> =>
      text === 'always' || text === 'storage' ? accept(text) : reject('is neither always nor storage'),
  ),
  maxJobs: setting(
    'SPILLWAY_MAX_JOBS',
    '0',
    'Most export jobs per dataset in one account or zone; 0 sets no limit.',
    whole(0, 1e6),
  ),
  disableAfterHours: setting(
    'SPILLWAY_DISABLE_AFTER_HOURS',
    '0',
    'Disable a job that delivered nothing for so many hours; 0 lets it try forever.',
    whole(0, 100_000),
  ),
  fetchMinAgeSeconds: setting(
    'SPILLWAY_FETCH_MIN_AGE_SECONDS',
    '60',
    'How long after receipt log fetch serves a record; 0 serves up to the watermark.',
    whole(0, 86_400),
  ),
  fetchMaxRangeSeconds: setting(
    'SPILLWAY_FETCH_MAX_RANGE_SECONDS',
    '3600',
    'Longest range of one log fetch.',
    whole(1, 31_536_000),
  ),
  retentionDays: setting('SPILLWAY_RETENTION_DAYS', '7', 'Days that records are kept.', whole(1, 3650)),
  diskCeilingBytes: setting(
    'SPILLWAY_DISK_CEILING_BYTES',
    '0',
    'Most bytes of records to keep for jobs that are behind; past it the oldest day is dropped and counted. 0: no ceiling.',
    whole(0, 1e15),
  ),
  ingestMaxBytes: setting('SPILLWAY_INGEST_MAX_BYTES', '67108864', 'Largest ingest body as sent.', whole(1024, 4e9)),
  ingestMaxInflatedBytes: setting(
    'SPILLWAY_INGEST_MAX_INFLATED_BYTES',
    '536870912',
    'Largest ingest body once decompressed.',
    whole(1024, 8e9),
  ),
  datasets: setting('SPILLWAY_DATASETS', '', 'Directory of further dataset files (JSON).', optional),
  s3Endpoint: setting(
    'SPILLWAY_S3_ENDPOINT',
    '',
    'Address of an S3-compatible store in place of the vendor’s own.',
    url('https:', 'http:'),
  ),
  gcsEndpoint: setting(
    'SPILLWAY_GCS_ENDPOINT',
    '',
    'Address of a store that speaks the Google Cloud Storage protocol.',
    url('https:', 'http:'),
  ),
  azureEndpoint: setting(
    'SPILLWAY_AZURE_ENDPOINT',
    '',
    'Address of a store that speaks the Azure Blob protocol.',
    url('https:', 'http:'),
  ),
  engineMemoryBytes: setting(
    'SPILLWAY_ENGINE_MEMORY_BYTES',
    '1500000000',
    'Most memory of the embedded record engine.',
    whole(3e8, 1e12),
  ),
  demo: setting(
    'SPILLWAY_DEMO',
    '0',
    '`1`: on an empty data directory also make a demo job to `file:///demo/{DATE}` and send it generated records.',
    flag,
  ),
} as const satisfies Record<string, Setting<unknown>>

type Read<S> = S extends Setting<infer T> ? T : never
export type Config = { readonly [Name in keyof typeof settings]: Read<(typeof settings)[Name]> }

/** The configuration an environment means, or every mistake in it. A name that starts with SPILLWAY_ and is none of ours is one. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Judged<Config> {
  const reasons: Reason[] = []
  const values: Record<string, unknown> = {}
  for (const [key, { name, fallback, read }] of Object.entries(settings)) {
    // Set to nothing is unset, as files of variables and containers have it.
    const text = environment[name] || fallback
    const judged: Judged<unknown> = read(text)
    if (judged.ok) values[key] = judged.value
    else reasons.push(...judged.reasons.map(({ message }) => ({ message: `${name} ${message}` })))
  }
  const known = new Set<string>(Object.values(settings).map(({ name }) => name))
  for (const name of Object.keys(environment)) {
    if (
      name.startsWith('SPILLWAY_') &&
      !known.has(name) &&
      !name.startsWith('SPILLWAY_TEST_') &&
      !forTheCli.includes(name)
    ) {
      reasons.push({ message: `${name} is not a setting; see docs/reference/configuration.md` })
    }
  }
  return judgedBy(reasons, () => values as Config)
}

/** For whoever wants to go on in spite of mistakes: each wrong setting is said, and stands at its default. */
export function readLeniently(environment: Readonly<Record<string, string | undefined>> = process.env): {
  readonly config: Config
  readonly reasons: readonly Reason[]
} {
  const judged = readConfig(environment)
  if (judged.ok) return { config: judged.value, reasons: [] }
  // A reason begins with the name it is about.
  const wrong = new Set(judged.reasons.map(({ message }) => message.split(' ')[0]))
  const rest = readConfig(Object.fromEntries(Object.entries(environment).filter(([name]) => !wrong.has(name))))
  if (!rest.ok) throw new Error(`the defaults are wrong: ${sayReasons(rest.reasons)}`)
  return { config: rest.value, reasons: judged.reasons }
}

/** Settings of the command line, which share the prefix. */
const forTheCli: readonly string[] = [
  'SPILLWAY_URL',
  'SPILLWAY_EMAIL',
  'SPILLWAY_KEY',
  'SPILLWAY_TOKEN',
  'SPILLWAY_ACCOUNT',
  'SPILLWAY_ZONE',
]

export type CliEnvironment = {
  readonly [Name in 'url' | 'email' | 'key' | 'token' | 'account' | 'zone' | 'data']?: string
}

/** What the environment tells the command line about whom to talk to, and as whom. */
export const readCliEnvironment = (): CliEnvironment =>
  Object.fromEntries(
    ['URL', 'EMAIL', 'KEY', 'TOKEN', 'ACCOUNT', 'ZONE', 'DATA'].flatMap((name) => {
      const value = process.env[`SPILLWAY_${name}`]
      return value ? [[name.toLowerCase(), value]] : []
    }),
  )
