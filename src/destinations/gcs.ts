/**
 * Kind B: Google Cloud Storage, written with a bearer token of the service's own identity; the bucket must let it.
 * https://cloud.google.com/storage/docs/json_api/v1/objects/insert
 */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind } from './destination.ts'
import { objectType, readAnswer, sizeOf } from './exchange.ts'
import { judgeObjectPath, type ObjectPath, objectKey, pathIdentity } from './object-path.ts'

type GcsTarget = { readonly bucket: string; readonly path: ObjectPath }

export const gcs = destinationKind<GcsTarget>({
  kind: 'gcs',
  title: 'Google Cloud Storage',
  says: '`gs://<bucket>[/<dir>]`. Each parcel is one object; `{DATE}`, `{HOUR}` and `{MINUTE}` may stand in the directory.',
  examples: ['gs://example-logs/edge/{DATE}', 'gs://example_logs'],
  isObjectStore: true,
  claims: (conf) => hasScheme(conf, 'gs'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    const bucket = judgeBucket(conf.value.authority, reasons)
    const path = judgeObjectPath(conf.value.path, reasons)
    readParameters(conf.value.parameters, reasons).refuseRest()
    return judgedBy(reasons, () => ({ bucket, path }))
  },
  identity: ({ bucket, path }) => `gs://${bucket}${pathIdentity(path)}`,
  secrets: () => [],
  provenByCredential: () => false,
  objectName: ({ path }, at, leaf) => objectKey(path, at, leaf),
  async deliver({ bucket }, parcel, outside) {
    const operators = outside.endpoint('gcs')
    const url = new URL(operators ?? 'https://storage.googleapis.com')
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/upload/storage/v1/b/${bucket}/o`
    url.search = `?uploadType=media&name=${encodeURIComponent(parcel.name)}`
    // An emulator on plain http gets no token: a bearer token in clear text is anyone's.
    const token = url.protocol === 'http:' ? {} : { authorization: `Bearer ${await outside.googleToken()}` }
    const headers = { 'content-type': objectType(parcel), 'content-length': String(sizeOf(parcel.body)), ...token }
    const request = { method: 'POST', url, headers, body: parcel.body }
    const answer = await outside.send(operators ? { ...request, toOperatorEndpoint: true } : request)
    return readAnswer(answer, outside.now())
  },
})

/** https://cloud.google.com/storage/docs/buckets#naming: unlike S3, underscores; with dots, up to 222 characters. */
function judgeBucket(authority: string, reasons: Reason[]): string {
  const bucket = authority.toLowerCase()
  const labels = bucket.split('.')
  const fits =
    /^[a-z0-9][a-z0-9._-]*[a-z0-9]$/.test(bucket) &&
    labels.every((label) => label.length >= 1 && label.length <= 63) &&
    bucket.length >= 3 &&
    bucket.length <= (labels.length > 1 ? 222 : 63)
  if (!fits || /^[\d.]+$/.test(bucket)) {
    reasons.push({ message: 'bucket: expected letters, digits, dots, hyphens and underscores, and not an IP address' })
  }
  return bucket
}
