/**
 * A small Google Cloud Storage: media uploads, reads and listings of the JSON API. With a token it asks for that bearer.
 * https://cloud.google.com/storage/docs/json_api/v1/objects
 */
import type { Certificate } from './certificates.ts'
import type { StoredObject } from './s3.ts'
import { listen, readBody, reply } from './server.ts'

export type Gcs = {
  readonly url: string
  readonly port: number
  /** `bucket/name` to what lies there. */
  objects(): ReadonlyMap<string, StoredObject>
  stop(): Promise<void>
}

/** Without `buckets` every bucket is there. */
type GcsOptions = { token?: string; certificate?: Certificate; buckets?: readonly string[] }

export async function startGcs(options: GcsOptions = {}): Promise<Gcs> {
  const objects = new Map<string, StoredObject>()
  const server = await listen(async (request, response) => {
    const body = await readBody(request)
    const url = new URL(request.url ?? '/', 'http://gcs')
    const fail = (status: number, message: string) =>
      reply(response, status, JSON.stringify({ error: { code: status, message } }), {
        'content-type': 'application/json',
      })
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      return fail(401, 'Invalid Credentials')
    }
    const upload = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(url.pathname)
    const read = /^\/storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(url.pathname)
    const place = upload?.[1] ?? read?.[1]
    if (options.buckets && !options.buckets.includes(place ?? ''))
      return fail(404, 'The specified bucket does not exist.')
    if (upload && request.method === 'POST') {
      const name = url.searchParams.get('name')
      if (url.searchParams.get('uploadType') !== 'media' || !name) return fail(400, 'Required parameter: name')
      if (request.headers['content-length'] !== String(body.length)) return fail(411, 'Length Required')
      const headers = { 'content-type': String(request.headers['content-type']) }
      objects.set(`${upload[1]}/${name}`, { body, headers })
      return reply(
        response,
        200,
        JSON.stringify({ kind: 'storage#object', bucket: upload[1], name, size: String(body.length) }),
      )
    }
    if (!read || request.method !== 'GET') return fail(404, 'Not Found')
    const [, bucket, name] = read
    if (name === undefined) {
      const names = [...objects.keys()]
        .filter((key) => key.startsWith(`${bucket}/`))
        .map((key) => key.slice(`${bucket}/`.length))
      return reply(
        response,
        200,
        JSON.stringify({ kind: 'storage#objects', items: names.map((item) => ({ name: item })) }),
      )
    }
    const found = objects.get(`${bucket}/${decodeURIComponent(name)}`)
    if (!found) return fail(404, 'No such object')
    const page = { kind: 'storage#object', bucket, name: decodeURIComponent(name), size: String(found.body.length) }
    return reply(response, 200, url.searchParams.get('alt') === 'media' ? found.body : JSON.stringify(page))
  }, options.certificate)
  return { ...server, objects: () => objects }
}
