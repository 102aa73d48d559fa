/** Which fields of the rules language the records of `http_requests` hold, and how each is read from them. */
import type { Term } from '../logs/index.ts'

const field = (name: string): Term => ({ kind: 'field', name })
const text = (bytes: string): Term => ({ kind: 'text', bytes })
const apply = (op: Extract<Term, { kind: 'apply' }>['op'], ...to: Term[]): Term => ({ kind: 'apply', op, to })

type Recorded = {
  readonly term: Term
  /** How the reference page tells it. */
  readonly says: string
}

const as = (name: string): Recorded => ({ term: field(name), says: name })

const path = as('ClientRequestPath')
const uri = as('ClientRequestURI')
const query = { term: apply('after', field('ClientRequestURI'), text('?')), says: 'ClientRequestURI behind its `?`' }
const fullUri = {
  term: apply(
    'concat',
    field('ClientRequestScheme'),
    text('://'),
    field('ClientRequestHost'),
    field('ClientRequestURI'),
  ),
  says: 'ClientRequestScheme `://` ClientRequestHost ClientRequestURI',
}

/** By the field's own name; an older name of a field is looked up under the newer. */
export const recorded: Readonly<Record<string, Recorded>> = {
  'http.host': as('ClientRequestHost'),
  'http.referer': as('ClientRequestReferer'),
  'http.user_agent': as('ClientRequestUserAgent'),
  'http.request.method': as('ClientRequestMethod'),
  'http.request.version': as('ClientRequestProtocol'),
  'http.request.uri': uri,
  'http.request.uri.path': path,
  'http.request.uri.query': query,
  'http.request.full_uri': fullUri,
  'raw.http.request.uri': uri,
  'raw.http.request.uri.path': path,
  'raw.http.request.uri.query': query,
  'raw.http.request.full_uri': fullUri,
  'http.request.timestamp.sec': {
    term: apply('seconds', field('EdgeStartTimestamp')),
    says: 'EdgeStartTimestamp in whole seconds',
  },
  'http.response.code': as('EdgeResponseStatus'),
  ssl: {
    term: apply('eq', field('ClientRequestScheme'), text('https')),
    says: 'whether ClientRequestScheme is `https`',
  },
  'ip.src': as('ClientIP'),
  'ip.src.asnum': as('ClientASN'),
  'ip.src.city': as('ClientCity'),
  // Sources of logs write it in either case; rules write capitals.
  'ip.src.country': { term: apply('upper', field('ClientCountry')), says: 'ClientCountry in capitals' },
  'ip.src.region_code': as('ClientRegionCode'),
  'ip.src.lat': as('ClientLatitude'),
  'ip.src.lon': as('ClientLongitude'),
  'cf.bot_management.score': as('BotScore'),
  'cf.bot_management.ja3_hash': as('JA3Hash'),
  'cf.bot_management.ja4': as('JA4'),
  'cf.verified_bot_category': as('VerifiedBotCategory'),
  'cf.waf.score': as('WAFAttackScore'),
  'cf.waf.score.rce': as('WAFRCEAttackScore'),
  'cf.waf.score.sqli': as('WAFSQLiAttackScore'),
  'cf.waf.score.xss': as('WAFXSSAttackScore'),
  'cf.ray_id': as('RayID'),
  'cf.tls_cipher': as('ClientSSLCipher'),
  'cf.tls_version': as('ClientSSLProtocol'),
  'cf.edge.server_ip': as('EdgeServerIP'),
  'cf.timings.client_tcp_rtt_msec': as('ClientTCPRTTMs'),
}
