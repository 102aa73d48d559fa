/**
 * A small S3: PUT, GET, HEAD, DELETE and a listing, path style, for the keys it knows. It believes no signature: each is
 * computed again from the request alone, by the vendor's description and without the vendor's library.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Certificate } from './certificates.ts'
import { listen, readBody, reply } from './server.ts'

export type StoredObject = { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> }

export type S3 = {
  readonly url: string
  readonly port: number
  /** `bucket/key` to what lies there. */
  objects(): Map<string, StoredObject>
  /** Error codes answered so far. */
  errors(): readonly string[]
  stop(): Promise<void>
}

export const s3Keys = { accessKeyId: 'AKIATESTS', secretAccessKey: 'spillway/test+secret' }

/** Without `buckets` every bucket is there. */
type S3Options = { keys?: typeof s3Keys; certificate?: Certificate; buckets?: readonly string[]; port?: number }

export async function startS3(options: S3Options = {}): Promise<S3> {
  const keys = options.keys ?? s3Keys
  const objects = new Map<string, StoredObject>()
  const errors: string[] = []
  const server = await listen(
    async (request, response) => {
      const fail = (status: number, code: string, message: string) => {
        errors.push(code)
        reply(response, status, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`)
      }
      const body = await readBody(request)
      const wrong = verify(request, body, keys)
      if (wrong) return fail(403, wrong, 'the request is not signed as it should be')
      const name = decodeURIComponent(new URL(request.url ?? '/', 'http://s3').pathname).slice(1)
      const [bucket = '', ...rest] = name.split('/')
      if (options.buckets?.includes(bucket) === false) return fail(404, 'NoSuchBucket', 'there is no such bucket')
      if (request.method === 'PUT' && rest.length > 0) {
        objects.set(name, { body, headers: plain(request.headers) })
        return reply(response, 200, '', { etag: `"${createHash('md5').update(body).digest('hex')}"` })
      }
      if (request.method === 'GET' && rest.join('') === '') {
        const keysOf = [...objects.keys()]
          .filter((key) => key.startsWith(`${bucket}/`))
          .map((key) => key.slice(bucket.length + 1))
        return reply(
          response,
          200,
          `<ListBucketResult>${keysOf.map((key) => `<Key>${key}</Key>`).join('')}</ListBucketResult>`,
        )
      }
      const found = objects.get(name)
      if (!found) return fail(404, 'NoSuchKey', 'there is no such object')
      if (request.method === 'DELETE') objects.delete(name)
      if (request.method === 'HEAD') return reply(response, 200, '', { 'content-length': String(found.body.length) })
      reply(response, request.method === 'DELETE' ? 204 : 200, request.method === 'GET' ? found.body : '')
    },
    options.certificate,
    options.port,
  )
  return { ...server, objects: () => objects, errors: () => errors }
}

const plain = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** The error code a store would answer, or undefined when the signature holds. */
function verify(request: IncomingMessage, body: Buffer, keys: typeof s3Keys): string | undefined {
  const headers = plain(request.headers)
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, id, date = '', region = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? []
  if (signature === undefined) return 'AccessDenied'
  if (id !== keys.accessKeyId) return 'InvalidAccessKeyId'
  const at = headers['x-amz-date'] ?? ''
  const instant = at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  if (!at.startsWith(date) || !(Math.abs(Date.parse(instant) - Date.now()) < 15 * 60_000)) return 'RequestTimeTooSkewed'
  const signed = names.split(';')
  const unsigned = Object.keys(headers).find(
    (name) => /^(host|content-type|x-amz-.*)$/.test(name) && !signed.includes(name),
  )
  if (unsigned !== undefined) return 'AccessDenied'
  const digest = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== digest) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const canonical = [
    request.method,
    canonicalPath(path),
    query.split('&').filter(Boolean).sort().join('&'),
    ...signed.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names,
    digest,
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const mac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
  const key = [date, region, 's3', 'aws4_request'].reduce<Buffer | string>(mac, `AWS4${keys.secretAccessKey}`)
  return mac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

/** Escaped anew from what it means, so that a client that forgot an escape is found out. */
const canonicalPath = (path: string): string =>
  decodeURIComponent(path)
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/')
