/**
 * Any HTTPS receiver. Parameters named `header_*` become headers, the others stay in the URL, and each request is
 * signed in the Standard Webhooks manner when the job has a signing secret.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac } from 'node:crypto'
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind, type Outside, type Parcel } from './destination.ts'
import { post, readAnswer } from './exchange.ts'
import { type HttpTarget, headerSecrets, httpIdentity, httpsUrl, parameterSecrets } from './http-target.ts'

export const https = destinationKind<HttpTarget>({
  kind: 'https',
  title: 'HTTPS receiver',
  says: '`https://<host>[:port]/<path>?header_<Name>=<value>&<name>=<value>`. Each parcel is one POST. With a signing secret, `webhook-id`, `webhook-timestamp` and `webhook-signature` prove who sent it; while a secret is being replaced there are two signatures.',
  examples: ['https://logs.example.com:8443/ingest?header_Authorization=Basic%20dXNlcjpwYXNzd29yZA==&tenant=web-team'],
  isObjectStore: false,
  claims: (conf) => hasScheme(conf, 'https'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    const parameters = readParameters(conf.value.parameters, reasons)
    const headers = parameters.headers()
    const url = httpsUrl(conf.value, parameters.rest(), reasons)
    return judgedBy(reasons, () => ({ url, headers }))
  },
  // Nobody can tell which of a stranger's parameters is a key, so each is treated as one.
  identity: (target) => httpIdentity('https', target, () => false),
  secrets: ({ url, headers }) => [...headerSecrets(headers), ...parameterSecrets(url)],
  provenByCredential: ({ url, headers }) => Object.keys(headers).length > 0 || url.search !== '',
  objectName: (_target, _at, leaf) => leaf,
  async deliver({ url, headers }, parcel, outside) {
    const signature = await signatureHeaders(parcel, outside)
    const request = post(url, parcel, { ...headers, 'webhook-id': parcel.batchId, ...signature })
    return readAnswer(await outside.send(request), outside.now())
  },
})

/** HMAC-SHA256 over id, time and the bytes as they are sent, once per secret. */
async function signatureHeaders(parcel: Parcel, outside: Outside): Promise<Record<string, string>> {
  const secrets = parcel.signingSecrets ?? []
  if (secrets.length === 0) return {}
  const timestamp = String(Math.floor(outside.now().getTime() / 1000))
  const macs = secrets.map((secret) => createHmac('sha256', signingKey(secret)))
  const update = (bytes: string | Uint8Array) => {
    for (const mac of macs) mac.update(bytes)
  }
  update(`${parcel.batchId}.${timestamp}.`)
  if (parcel.body instanceof Uint8Array) update(parcel.body)
  else for await (const bytes of outside.read(parcel.body.file)) update(bytes)
  const signatures = macs.map((mac) => `v1,${mac.digest('base64')}`)
  return { 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** The specification writes keys as `whsec_` and base64. */
const signingKey = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
