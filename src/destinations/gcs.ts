/**
 * Kind B: Google Cloud Storage, written with a bearer token of the service's own identity; the bucket must let it.
 * https://cloud.google.com/storage/docs/json_api/v1/objects/insert
 */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind, type Outside } from './destination.ts'
import { objectType, readAnswer, readJson, readSight, sizeOf } from './exchange.ts'
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
    const path = `upload/storage/v1/b/${bucket}/o?uploadType=media&name=${encodeURIComponent(parcel.name)}`
    const { token, ...place } = await reach(path, outside)
    const headers = { 'content-type': objectType(parcel), 'content-length': String(sizeOf(parcel.body)), ...token }
    const answer = await outside.send({ ...place, method: 'POST', headers, body: parcel.body })
    return readAnswer(answer, outside.now())
  },
  async look({ bucket }, name, outside) {
    const path = `storage/v1/b/${bucket}/o/${encodeURIComponent(name)}?fields=size`
    const { token, ...place } = await reach(path, outside)
    const answer = await outside.send({ ...place, method: 'GET', headers: token, body: null })
    const sight = readSight(answer)
    return sight.sight === 'there' ? { ...sight, bytes: Number(readJson(answer.body)?.size) } : sight
  },
})

async function reach(path: string, outside: Outside) {
  const operators = outside.endpoint('gcs')
  const base = operators?.href ?? 'https://storage.googleapis.com'
  const url = new URL(`${base.replace(/(?<!\/)\/+$/, '')}/${path}`)
  // An emulator on plain http gets no token: a bearer token in clear text is anyone's.
  const token: Record<string, string> =
    url.protocol === 'http:' ? {} : { authorization: `Bearer ${await outside.googleToken()}` }
  return operators ? { url, token, toOperatorEndpoint: true as const } : { url, token }
}

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
