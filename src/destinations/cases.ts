/** Golden files of the kinds: the very requests that a fixed parcel becomes, so that a change on the wire is reviewed. */
import type { Body, OutgoingRequest, Outside } from './destination.ts'
import { kinds } from './index.ts'

export type Case = { readonly path: string; readonly text: string }

/** One file per kind, below `src/destinations/cases`. */
export function renderDestinationCases(): Promise<readonly Case[]> {
  return Promise.all(
    kinds.map(async (kind) => {
      const texts = await Promise.all(kind.examples.map((conf) => render(conf, kind.judge(conf))))
      return { path: `src/destinations/cases/${kind.kind}.http`, text: texts.join('\n') }
    }),
  )
}

const at = new Date('2026-01-02T03:04:05Z')
const lines = '{"RayID":"7f1c02a9d4be5a10"}\n'

async function render(conf: string, judged: ReturnType<(typeof kinds)[number]['judge']>): Promise<string> {
  if (!judged.ok) throw new Error(`an example is refused: ${conf}`)
  const destination = judged.value
  const sent: string[] = []
  const outside: Outside = {
    now: () => at,
    read: async function* () {
      yield Buffer.from(lines)
    },
    send: async (request) => {
      sent.push(sayRequest(request))
      return { status: 200, headers: {}, body: '' }
    },
    awsCredentials: async () => ({ accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'operator-secret' }),
    googleToken: async () => 'operator-token',
    endpoint: () => undefined,
    writeFile: async (path, body) => {
      sent.push(`write ${path}\n\n${sayBody(body)}`)
    },
    fileSize: async () => undefined,
  }
  const name = destination.objectName(at, '20260102T030400Z_20260102T030405Z_9af500e2.log')
  await destination.deliver(
    {
      name,
      body: Buffer.from(lines),
      contentType: 'application/x-ndjson',
      contentEncoding: 'identity',
      batchId: 'b-1-0',
      signingSecrets: ['whsec_c3BpbGx3YXktbmV3', 'whsec_c3BpbGx3YXktb2xk'],
    },
    outside,
  )
  await destination.look?.(name, outside)
  return `${conf}\nidentity ${destination.identity}\nmasked   ${destination.masked}\n----\n${sent.join('\n')}`
}

function sayRequest({ method, url, headers, body, skipVerify }: OutgoingRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const unverified = skipVerify ? ' (any certificate)' : ''
  return [`${method} ${url}${unverified}`, ...fields.sort(), '', body === null ? '' : sayBody(body)].join('\n')
}

const sayBody = (body: Body): string => (body instanceof Uint8Array ? Buffer.from(body).toString() : body.file)
