/**
 * Kind D: Datadog log intake. The body goes as lines of text, which the intake takes as one log each and parses when
 * they are JSON; a batch framed as one JSON array goes as JSON.
 * https://docs.datadoghq.com/api/latest/logs/#send-logs
 */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind } from './destination.ts'
import { post, readAnswer } from './exchange.ts'
import { type HttpTarget, headerSecrets, httpIdentity, httpsUrl, parameterSecrets } from './http-target.ts'

const isPlain = (name: string): boolean => ['ddsource', 'service', 'host', 'ddtags'].includes(name)

export const datadog = destinationKind<HttpTarget>({
  kind: 'datadog',
  title: 'Datadog logs',
  says: '`datadog://<endpoint>?header_DD-API-KEY=<key>[&ddsource=&service=&host=&ddtags=]`. Each parcel is one POST; the provider takes 1,000 logs and 5 MB in one.',
  examples: [
    'datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=20e6d94e8c57924ad1be3c29bcaee0197d&ddsource=edge&service=web&host=example.com&ddtags=env%3Atest',
    'datadog://http-intake.logs.datadoghq.eu/v1/input?header_DD-API-KEY=20e6d94e8c57924ad1be3c29bcaee0197d',
  ],
  isObjectStore: false,
  limits: { maxBytes: 5_000_000, maxRecords: 1000 },
  claims: (conf) => hasScheme(conf, 'datadog'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    const parameters = readParameters(conf.value.parameters, reasons)
    const headers = parameters.headers()
    const names = Object.keys(headers).map((name) => name.toLowerCase())
    if (!names.includes('dd-api-key')) reasons.push({ message: 'header_DD-API-KEY is missing: expected the API key' })
    for (const name of names.filter((other) => other !== 'dd-api-key')) {
      reasons.push({ message: `parameter header_${name} is not known here` })
    }
    const url = httpsUrl(conf.value, parameters.rest(), reasons, '/api/v2/logs')
    return judgedBy(reasons, () => ({ url, headers }))
  },
  identity: (target) => httpIdentity('datadog', target, isPlain),
  secrets: ({ url, headers }) => [...headerSecrets(headers), ...parameterSecrets(url, (name) => !isPlain(name))],
  provenByCredential: () => true,
  objectName: (_target, _at, leaf) => leaf,
  async deliver({ url, headers }, parcel, outside) {
    const contentType = parcel.contentType === 'application/json' ? parcel.contentType : 'text/plain'
    return readAnswer(await outside.send(post(url, { ...parcel, contentType }, headers)), outside.now())
  },
})
