/**
 * Kind A: Amazon S3, or any store that speaks its protocol when `endpoint=` and keys are given. Without keys the service
 * writes as itself, with credentials from the vendor's default chain, and the bucket's policy must let it.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */
import { type Judged, judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, judgeHost, readParameters, takeApart } from './conf.ts'
import { type AwsCredentials, destinationKind, type Outside } from './destination.ts'
import { judgeObjectPath, type ObjectPath, objectKey, objectUrl, pathIdentity } from './object-path.ts'
import { lookAtObject, putObject, type S3Object } from './s3-object.ts'

type S3Target = {
  readonly bucket: string
  readonly path: ObjectPath
  readonly region: string
  readonly sse: boolean
  /** Host of an S3-compatible store. */
  readonly endpoint: string | undefined
  readonly keys: AwsCredentials | undefined
}

const awsRegion = /^(?!cn-)[a-z]{2}(-[a-z]+)+-\d$/
const anyRegion = /^[a-z0-9][a-z0-9-]{0,31}$/

export const s3 = destinationKind<S3Target>({
  kind: 's3',
  title: 'Amazon S3 and S3-compatible stores',
  says: '`s3://<bucket>[/<dir>]?region=<R>[&sse=AES256]`, or with `&endpoint=<host>&access-key-id=<K>&secret-access-key=<S>` for a store that speaks the same protocol. Each parcel is one object; `{DATE}`, `{HOUR}` and `{MINUTE}` may stand in the directory.',
  examples: [
    's3://example-logs/edge/{DATE}?region=us-east-1&sse=AES256',
    's3://example-logs?region=eu-central-1',
    's3://example-logs/edge?region=us-east-1&endpoint=store.example.com&access-key-id=AKIAEXAMPLE&secret-access-key=c2VjcmV0%2Fa2V5+for+tests',
  ],
  isObjectStore: true,
  claims: (conf) => hasScheme(conf, 's3'),
  parse: parseS3,
  identity: ({ endpoint, bucket, path }) => `${storeOf(endpoint)}${bucket}${pathIdentity(path)}`,
  secrets: ({ keys }) => (keys ? [keys.secretAccessKey] : []),
  provenByCredential: ({ keys }) => keys !== undefined,
  objectName: ({ path }, at, leaf) => objectKey(path, at, leaf),
  deliver: async (target, parcel, outside) => putObject(await reach(target, parcel.name, outside), parcel, outside),
  look: async (target, name, outside) => lookAtObject(await reach(target, name, outside), outside),
})

function parseS3(text: string): Judged<S3Target> {
  const conf = takeApart(text)
  if (!conf.ok) return conf
  const reasons: Reason[] = []
  const bucket = judgeBucket(conf.value.authority, reasons)
  const path = judgeObjectPath(conf.value.path, reasons)
  const parameters = readParameters(conf.value.parameters, reasons)
  const ownStore = parameters.has('endpoint')
  const region = ownStore
    ? parameters.need('region', anyRegion, 'a region name, or auto')
    : parameters.need('region', awsRegion, 'a region such as us-east-1 (for others, give endpoint=)')
  const sse = parameters.may('sse', /^AES256$/, 'AES256') !== undefined
  const endpoint = parameters.may('endpoint', /^[^/]+$/, 'a host without scheme, bucket or path')
  const host = endpoint === undefined ? undefined : judgeHost(endpoint, 'endpoint')
  if (host && !host.ok) reasons.push(...host.reasons)
  // Towards a store that a tenant chose we never use our own identity: there, keys are not optional.
  const wantsKeys = ownStore || parameters.has('access-key-id') || parameters.has('secret-access-key')
  const keys = wantsKeys ? readKeys(parameters) : undefined
  parameters.refuseRest()
  return judgedBy(reasons, () => ({ bucket, path, region, sse, keys, endpoint: host?.ok ? host.value : undefined }))
}

/** Both keys, or a reason for each that is missing. */
export function readKeys(parameters: ReturnType<typeof readParameters>): AwsCredentials {
  return {
    accessKeyId: parameters.need('access-key-id', /^[\x21-\x7e]{1,128}$/, 'the access key id'),
    secretAccessKey: parameters.need('secret-access-key', /^[\x21-\x7e]{1,256}$/, 'the secret access key'),
  }
}

/** Stores accept lower case only, so letter case is no difference here; it is lowered, not refused. */
export function judgeBucket(authority: string, reasons: Reason[]): string {
  const bucket = authority.toLowerCase()
  const fits = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && !/\.\.|\.-|-\./.test(bucket)
  if (!fits || /^[\d.]+$/.test(bucket)) {
    reasons.push({ message: 'bucket: expected 3 to 63 letters, digits, dots and hyphens, and not an IP address' })
  }
  return bucket
}

/** The same bucket reached through another door is the same destination, so the doors are named as their own kinds. */
function storeOf(endpoint: string | undefined): string {
  if (endpoint === undefined || /\.amazonaws\.com$/.test(endpoint)) return 's3://'
  const r2 = /^([0-9a-f]{32})(?:\.[a-z]+)?\.r2\.cloudflarestorage\.com$/.exec(endpoint)
  if (r2) return `r2://${r2[1]}/`
  if (endpoint === 'storage.googleapis.com') return 'gs://'
  // A bucket may be named like a host, so the store stands before the slashes.
  return `s3+${endpoint}://`
}

async function reach(
  { bucket, region, endpoint, keys, sse }: S3Target,
  key: string,
  outside: Outside,
): Promise<S3Object> {
  const encryption = sse ? { 'x-amz-server-side-encryption': 'AES256' } : {}
  if (keys && endpoint !== undefined) {
    return {
      url: objectUrl(new URL(`https://${endpoint}`), bucket, key),
      region,
      credentials: keys,
      putHeaders: encryption,
    }
  }
  const credentials = keys ?? (await outside.awsCredentials())
  // An object we write as ourselves would belong to us. The owner of the bucket gets it whole; buckets that enforce
  // their owner accept exactly this one ACL. Keys from the string belong to the owner already.
  const acl = keys ? {} : { 'x-amz-acl': 'bucket-owner-full-control' }
  const putHeaders = { ...encryption, ...acl }
  const operators = outside.endpoint('s3')
  if (operators) {
    return { url: objectUrl(operators, bucket, key), region, credentials, putHeaders, toOperatorEndpoint: true }
  }
  // The vendor's certificate covers one label below the region, so a bucket with dots goes into the path.
  const url = bucket.includes('.')
    ? objectUrl(new URL(`https://s3.${region}.amazonaws.com`), bucket, key)
    : objectUrl(new URL(`https://${bucket}.s3.${region}.amazonaws.com`), key)
  return { url, region, credentials, putHeaders }
}
