/**
 * Kind G: a Sumo Logic HTTP source: its address with `https` written `sumo`. The code in it is the credential.
 * https://help.sumologic.com/docs/send-data/hosted-collectors/http-source/logs-metrics/upload-logs/
 */
import { fingerprint, judgedBy, type Reason } from '../base/index.ts'
import { hasScheme, readParameters, takeApart } from './conf.ts'
import { destinationKind } from './destination.ts'
import { post, readAnswer } from './exchange.ts'
import { httpsUrl } from './http-target.ts'

type SumoTarget = { readonly url: URL; readonly code: string }

export const sumo = destinationKind<SumoTarget>({
  kind: 'sumo',
  title: 'Sumo Logic HTTP source',
  says: '`sumo://<endpoint>/receiver/v1/http/<code>`. Each parcel is one POST; each line is one message.',
  examples: ['sumo://endpoint1.collection.example.com/receiver/v1/http/ZaVnC4dhaV2ZZls3dGVzdGNvZGU='],
  isObjectStore: false,
  claims: (conf) => hasScheme(conf, 'sumo'),
  parse(text) {
    const conf = takeApart(text)
    if (!conf.ok) return conf
    const reasons: Reason[] = []
    const code = /^\/receiver\/v1\/http\/([A-Za-z0-9_+=.~-]{1,1024})$/.exec(conf.value.path)?.[1] ?? ''
    if (code === '') reasons.push({ message: 'path: expected /receiver/v1/http/<code>' })
    readParameters(conf.value.parameters, reasons).refuseRest()
    const url = httpsUrl(conf.value, [], reasons)
    return judgedBy(reasons, () => ({ url, code }))
  },
  identity: ({ url, code }) => `sumo://${url.host}/receiver/v1/http/#${fingerprint(code)}`,
  secrets: ({ code }) => [code],
  // The code lets one write, but the address is passed around like any other; the token is read in the live tail.
  provenByCredential: () => false,
  objectName: (_target, _at, leaf) => leaf,
  async deliver({ url }, parcel, outside) {
    return readAnswer(await outside.send(post(url, { ...parcel, contentType: 'text/plain' }, {})), outside.now())
  },
})
