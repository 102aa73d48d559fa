/**
 * One object in the S3 protocol, put or looked at, signed by the vendor's own library; shared by every kind that speaks it. Parcels are
 * bounded, so one PUT is enough and no half-finished multipart upload is ever left behind to be paid for.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentials, Outcome, Outside, Parcel, Sight } from './destination.ts'
import { objectType, readAnswer, readSight, sizeOf } from './exchange.ts'

export type S3Object = {
  readonly url: URL
  readonly region: string
  readonly credentials: AwsCredentials
  /** When it is put, beyond type, length and digest. */
  readonly putHeaders?: Readonly<Record<string, string>>
  readonly toOperatorEndpoint?: true
}

/** Error codes that come with a 4xx and still pass: a slow upload, a clock or a session that will be renewed. */
const passing = /<Code>(RequestTimeout|RequestTimeTooSkewed|ExpiredToken|OperationAborted|SlowDown)<\/Code>/

export async function putObject(object: S3Object, parcel: Parcel, outside: Outside): Promise<Outcome> {
  const { body } = parcel
  const sha256 = body instanceof Uint8Array ? createHash('sha256').update(body).digest('hex') : body.sha256
  const headers = await sign('PUT', object, outside.now(), {
    'content-type': objectType(parcel),
    'content-length': String(sizeOf(body)),
    'x-amz-content-sha256': sha256,
    ...object.putHeaders,
  })
  const answer = await outside.send({ ...placeOf(object), method: 'PUT', headers, body })
  const outcome = readAnswer(answer, outside.now())
  const mayPass = outcome.outcome === 'refused' && passing.test(answer.body)
  return mayPass ? { ...outcome, outcome: 'retry' } : outcome
}

/** A missing object answers 404 only to those who may list the bucket. */
export async function lookAtObject(object: S3Object, outside: Outside): Promise<Sight> {
  const headers = await sign('HEAD', object, outside.now(), { 'x-amz-content-sha256': nothingSha256 })
  return readSight(await outside.send({ ...placeOf(object), method: 'HEAD', headers, body: null }))
}
const nothingSha256 = createHash('sha256').digest('hex')

const placeOf = ({ url, toOperatorEndpoint }: S3Object) => ({
  url,
  ...(toOperatorEndpoint ? { toOperatorEndpoint } : {}),
})

async function sign(
  method: 'PUT' | 'HEAD',
  object: S3Object,
  at: Date,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    service: 's3',
    region: object.region,
    credentials: object.credentials,
    sha256: Sha256,
    // S3 alone signs the path as it is sent; every other service escapes it twice.
    uriEscapePath: false,
    applyChecksum: false,
  })
  const { protocol, host, hostname, pathname: path } = object.url
  const request = new HttpRequest({ method, protocol, hostname, path, headers: { host, ...headers } })
  const signed = await signer.sign(request, { signingDate: at })
  return signed.headers
}
