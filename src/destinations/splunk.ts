/**
 * Kind F: Splunk HTTP Event Collector, its raw endpoint: each line of the body becomes one event.
 * https://docs.splunk.com/Documentation/Splunk/latest/Data/TroubleshootHTTPEventCollector
 */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { type Answer, destinationKind, type Outcome } from './destination.ts'
import { post, readAnswer, readJson } from './exchange.ts'
import { type HttpTarget, headerSecrets, httpIdentity, httpsUrl, parameterSecrets } from './http-target.ts'

type SplunkTarget = HttpTarget & { readonly skipVerify: boolean }

const isPlain = (name: string): boolean => name === 'channel' || name === 'sourcetype'
const rawPath = '/services/collector/raw'

export const splunk = destinationKind<SplunkTarget>({
  kind: 'splunk',
  title: 'Splunk HTTP Event Collector',
  says: '`splunk://<host:port>/services/collector/raw?channel=<id>&insecure-skip-verify=<true|false>&sourcetype=<type>&header_Authorization=Splunk%20<token>`. Each parcel is one POST. Only this kind may skip the check of the certificate.',
  examples: [
    'splunk://collector.example.com:8088/services/collector/raw?channel=0f3fa53e-5f0c-4a45-9b6a-3d3f3a1b2c4d&insecure-skip-verify=false&sourcetype=edge%3Ajson&header_Authorization=Splunk%20e6d94e8c-5792-4ad1-be3c-29bcaee0197d',
  ],
  isObjectStore: false,
  claims: (conf) => hasScheme(conf, 'splunk'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    if (/^\/services\/collector(\/event)?\/?$/.test(conf.value.path)) {
      reasons.push({ message: `path: the event endpoint wants its own envelope; use ${rawPath}` })
    }
    const parameters = readParameters(conf.value.parameters, reasons)
    parameters.need('channel', /^[A-Za-z0-9_-]{1,64}$/, 'the id of the channel')
    parameters.may('sourcetype', /^[\x21-\x7e]{1,128}$/, 'a source type')
    const skipVerify = parameters.may('insecure-skip-verify', /^(true|false)$/, 'true or false') === 'true'
    const headers = parameters.headers()
    if (!Object.keys(headers).some((name) => /^authorization$/i.test(name))) {
      reasons.push({ message: 'header_Authorization is missing: expected Splunk%20<token>' })
    }
    const kept = conf.value.parameters.filter(({ name }) => !/^(insecure-skip-verify$|header_)/i.test(name))
    const url = httpsUrl(conf.value, kept, reasons, rawPath)
    return judgedBy(reasons, () => ({ url, headers, skipVerify }))
  },
  identity: (target) => httpIdentity('splunk', target, isPlain),
  secrets: ({ url, headers }) => [...headerSecrets(headers), ...parameterSecrets(url, (name) => !isPlain(name))],
  provenByCredential: () => true,
  objectName: (_target, _at, leaf) => leaf,
  async deliver({ url, headers, skipVerify }, parcel, outside) {
    const request = post(url, { ...parcel, contentType: 'text/plain' }, headers)
    const answer = await outside.send(skipVerify ? { ...request, skipVerify } : request)
    return readCollector(answer, readAnswer(answer, outside.now()))
  },
})

/** Internal error, busy, queues full, acknowledgements full, shutting down: whatever status they come with. */
const busyCodes = new Set([8, 9, 18, 19, 20, 23, 24, 25, 26, 27])
const fineCodes = new Set([0, 17])

/** The collector says more with the code in its body than with its status. */
function readCollector(answer: Answer, byStatus: Outcome): Outcome {
  const said = readJson(answer.body)
  const code = said?.code
  if (typeof code !== 'number' || fineCodes.has(code)) return byStatus
  const text = typeof said?.text === 'string' ? said.text : ''
  const { status } = answer
  const reason = `answered ${status}, code ${code}: ${text}`
  const afterMs = byStatus.outcome === 'retry' && byStatus.afterMs !== undefined ? { afterMs: byStatus.afterMs } : {}
  return busyCodes.has(code) || byStatus.outcome === 'retry'
    ? { outcome: 'retry', status, reason, ...afterMs }
    : { outcome: 'refused', status, reason }
}
