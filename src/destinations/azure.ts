/**
 * Kind C: Azure Blob Storage through a shared access signature; the string is the signed URL with `https` written
 * `azure`, and the signature in it is the credential.
 * https://learn.microsoft.com/rest/api/storageservices/put-blob
 */
import { type Judged, judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, type Parameter, readParameters, takeApart } from './conf.ts'
import { destinationKind, type Outside } from './destination.ts'
import { objectType, readAnswer, readSight, sizeOf } from './exchange.ts'
import { judgeObjectPath, type ObjectPath, objectKey, objectUrl, pathIdentity } from './object-path.ts'

type AzureTarget = {
  readonly host: string
  readonly container: string
  readonly path: ObjectPath
  /** The signed query, byte for byte: a `+` that became a space would break the signature. */
  readonly query: string
  readonly signature: string
  readonly expires: Date | undefined
}

/** Account name, an optional DNS zone, and the clouds there are. */
const accountHost =
  /^[a-z0-9]{3,24}(?:\.z\d{2})?\.blob\.(?:core\.windows\.net|storage\.azure\.net|core\.usgovcloudapi\.net|core\.chinacloudapi\.cn)$/

/** What a service or account signature may hold; https://learn.microsoft.com/rest/api/storageservices/create-service-sas */
const signedParameters =
  'sv ss sr srt sp st se si sip spr sig ses sdd skoid sktid skt ske sks skv saoid suoid scid rscc rscd rsce rscl rsct'

export const azure = destinationKind<AzureTarget>({
  kind: 'azure',
  title: 'Azure Blob Storage',
  says: '`azure://<account>.blob.core.windows.net/<container>[/<dir>]?<shared access signature>`. Each parcel is one block blob; `{DATE}`, `{HOUR}` and `{MINUTE}` may stand in the directory. The signature must allow to create or write objects and nothing above them.',
  examples: [
    'azure://exampleaccount.blob.core.windows.net/logs/edge/{DATE}?sv=2022-11-02&ss=b&srt=o&sp=cw&se=2035-01-01T00:00:00Z&spr=https&sig=c2lnbmF0dXJl%2Bfor%2Ftests%3D',
  ],
  isObjectStore: true,
  claims: (conf) => hasScheme(conf, 'azure'),
  parse: parseAzure,
  identity: ({ host, container, path }) => `azure://${host}/${container}${pathIdentity(path)}`,
  secrets: ({ signature }) => [signature],
  // Whoever holds the signature may write, but it is handed out to many; the challenge asks who may read.
  provenByCredential: () => false,
  objectName: ({ path }, at, leaf) => objectKey(path, at, leaf),
  async deliver(target, parcel, outside) {
    const { expires } = target
    if (expires && expires <= outside.now()) {
      return { outcome: 'refused', reason: `the signature in the address expired at ${expires.toISOString()}` }
    }
    const headers = {
      ...protocol,
      'content-type': objectType(parcel),
      'content-length': String(sizeOf(parcel.body)),
      'x-ms-blob-type': 'BlockBlob',
    }
    const place = blobAt(target, parcel.name, outside)
    const answer = await outside.send({ ...place, method: 'PUT', headers, body: parcel.body })
    return readAnswer(answer, outside.now())
  },
  // Only a signature that may read lets us look; ours need not.
  look: async (target, name, outside) =>
    readSight(await outside.send({ ...blobAt(target, name, outside), method: 'HEAD', headers: protocol, body: null })),
})

const protocol = { 'x-ms-version': '2022-11-02' }

function blobAt({ host, container, query }: AzureTarget, name: string, outside: Outside) {
  const operators = outside.endpoint('azure')
  const [account = ''] = host.split('.')
  const url = operators
    ? objectUrl(operators, account, container, name)
    : objectUrl(new URL(`https://${host}`), container, name)
  url.search = query
  return operators ? { url, toOperatorEndpoint: true as const } : { url }
}

function parseAzure(text: string): Judged<AzureTarget> {
  const conf = takeApart(text)
  if (!conf.ok) return conf
  const reasons: Reason[] = []
  const host = conf.value.authority.toLowerCase()
  if (!accountHost.test(host)) reasons.push({ message: 'host: expected <account>.blob.core.windows.net' })
  const [, first = '', rest = ''] = /^\/+([^/]*)(.*)$/.exec(conf.value.path) ?? []
  const container = first.toLowerCase()
  if (!/^(?=.{3,63}$)(\$root|[a-z0-9]+(-[a-z0-9]+)*)$/.test(container)) {
    reasons.push({ message: 'container: expected 3 to 63 letters, digits and single hyphens' })
  }
  const path = judgeObjectPath(rest, reasons)
  const { signature, expires } = judgeSignature(conf.value.parameters, reasons)
  const query = conf.value.parameters.map(({ raw }) => raw).join('&')
  return judgedBy(reasons, () => ({ host, container, path, query, signature, expires }))
}

/** What is there must fit; whether it is enough is for the store to say, which also knows stored access policies. */
function judgeSignature(all: readonly Parameter[], reasons: Reason[]) {
  const parameters = readParameters(all, reasons)
  const signature = parameters.need('sig', /^[A-Za-z0-9+/]+={0,2}$/, 'the signature in base64')
  parameters.may('sp', /^[abd-vx-z]*[cw][a-z]*$/, 'permissions that include c (create) or w (write)')
  const end = parameters.may('se', /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?$/, 'the expiry as a UTC time')
  parameters.may('srt', /^o$/, 'o: signedResourceTypes must be Object only (srt=o)')
  parameters.may('ss', /b/, 'services that include b (blob)')
  parameters.may('sr', /^[cd]$/, 'c or d: the signature must cover a container or directory, not one blob')
  for (const name of signedParameters.split(' ')) parameters.may(name, /./, 'a value')
  parameters.refuseRest()
  const expires = end === undefined ? undefined : new Date(end)
  return { signature, expires: Number.isNaN(expires?.getTime()) ? undefined : expires }
}
