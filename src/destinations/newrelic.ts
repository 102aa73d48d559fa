/**
 * Kind E: New Relic Log API. An https URL like any other, so it must be asked before the generic kind; the word in
 * `format` tells the provider to read one log per line.
 * https://docs.newrelic.com/docs/logs/log-api/introduction-log-api/
 */
import { judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind } from './destination.ts'
import { post, readAnswer } from './exchange.ts'
import { type HttpTarget, httpIdentity, httpsUrl, parameterSecrets } from './http-target.ts'

/** US, EU and government; the port is free, so that a gateway can stand in between. */
const isLogApi = (conf: string): boolean =>
  hasScheme(conf, 'https') && /^https:\/\/(log-api|log-api\.eu|gov-log-api)\.newrelic\.com(?=[:/?]|$)/i.test(conf)

export const newrelic = destinationKind<HttpTarget>({
  kind: 'newrelic',
  title: 'New Relic logs',
  says: '`https://log-api.newrelic.com/log/v1?Api-Key=<key>&format=cloudflare`, or `log-api.eu.newrelic.com` for the EU region. Each parcel is one POST.',
  examples: [
    'https://log-api.newrelic.com/log/v1?Api-Key=e5b8ff1d2c0a4e6f9a7b3c1d5e7f9a0bNRAL&format=cloudflare',
    'https://log-api.eu.newrelic.com/log/v1?Api-Key=eu01xx5b8ff1d2c0a4e6f9a7b3c1d5e7NRAL&format=cloudflare',
  ],
  isObjectStore: false,
  limits: { maxBytes: 5_000_000 },
  claims: isLogApi,
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    const parameters = readParameters(conf.value.parameters, reasons)
    if (conf.value.path !== '/log/v1') reasons.push({ message: 'path: expected /log/v1' })
    parameters.need('Api-Key', /^[\x21-\x7e]{1,256}$/, 'the license key')
    parameters.need('format', /^cloudflare$/, 'cloudflare')
    parameters.refuseRest()
    const url = httpsUrl(conf.value, conf.value.parameters, reasons)
    return judgedBy(reasons, () => ({ url, headers: {} }))
  },
  identity: (target) => httpIdentity('https', target, (name) => name === 'format'),
  secrets: ({ url }) => parameterSecrets(url, (name) => name === 'Api-Key'),
  provenByCredential: () => true,
  objectName: (_target, _at, leaf) => leaf,
  async deliver({ url }, parcel, outside) {
    const json = { ...parcel, contentType: 'application/json' }
    return readAnswer(await outside.send(post(url, json, {})), outside.now())
  },
})
