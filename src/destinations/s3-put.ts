/**
 * One PutObject in the S3 protocol, signed by the vendor's own library; shared by every kind that speaks it. Parcels are
 * bounded, so one PUT is enough and no half-finished multipart upload is ever left behind to be paid for.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentials, Outcome, Outside, Parcel } from './destination.ts'
import { objectType, readAnswer, sizeOf } from './exchange.ts'

export type Put = {
  readonly url: URL
  readonly region: string
  readonly credentials: AwsCredentials
  /** Beyond type, length and digest. */
  readonly headers?: Readonly<Record<string, string>>
  readonly toOperatorEndpoint?: true
}

/** Error codes that come with a 4xx and still pass: a slow upload, a clock or a session that will be renewed. */
const passing = /<Code>(RequestTimeout|RequestTimeTooSkewed|ExpiredToken|OperationAborted|SlowDown)<\/Code>/

export async function putObject(put: Put, parcel: Parcel, outside: Outside): Promise<Outcome> {
  const { body } = parcel
  const sha256 = body instanceof Uint8Array ? createHash('sha256').update(body).digest('hex') : body.sha256
  const headers = await sign(put, outside.now(), {
    host: put.url.host,
    'content-type': objectType(parcel),
    'content-length': String(sizeOf(body)),
    'x-amz-content-sha256': sha256,
    ...put.headers,
  })
  const { url, toOperatorEndpoint } = put
  const request = { method: 'PUT', url, headers, body, ...(toOperatorEndpoint ? { toOperatorEndpoint } : {}) }
  const answer = await outside.send(request)
  const outcome = readAnswer(answer, outside.now())
  const mayPass = outcome.outcome === 'refused' && passing.test(answer.body)
  return mayPass ? { ...outcome, outcome: 'retry' } : outcome
}

async function sign(put: Put, at: Date, headers: Record<string, string>): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    service: 's3',
    region: put.region,
    credentials: put.credentials,
    sha256: Sha256,
    // S3 alone signs the path as it is sent; every other service escapes it twice.
    uriEscapePath: false,
    applyChecksum: false,
  })
  const { protocol, hostname, pathname: path } = put.url
  const signed = await signer.sign(new HttpRequest({ method: 'PUT', protocol, hostname, path, headers }), {
    signingDate: at,
  })
  return signed.headers
}
