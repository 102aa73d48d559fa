/** A decision as firewall events: one for each rule that matched and logs, with the fields of the dataset's catalogue. */
import type { Nanos } from '../base/index.ts'
import type { Decision, EdgeRequest } from '../rulesets/index.ts'

/** Texts are still bytes, one character each; the line makes them UTF-8. */
export type EventRecord = Readonly<Record<string, string | number | bigint | Readonly<Record<string, string>>>>

/** As the catalogue spells actions; those with the same name here and there are not listed. */
const actionNames: Readonly<Record<string, string>> = {
  js_challenge: 'jschallenge',
  managed_challenge: 'managedchallenge',
  force_connection_close: 'connectionclose',
  skip: 'bypass',
  ddos_dynamic: 'block',
}

const sources: Readonly<Record<string, string>> = {
  http_request_firewall_custom: 'firewallcustom',
  http_request_firewall_managed: 'firewallmanaged',
  http_ratelimit: 'ratelimit',
  ddos_l7: 'l7ddos',
  http_request_sbfm: 'botfight',
}

export function eventsOf(request: EdgeRequest, decision: Decision, zoneName: string): EventRecord[] {
  const logged = decision.matches.filter((match) => match.logs)
  const visit = visitOf(request, zoneName)
  return logged.map(({ phase, level, ruleset, rule }, index) => ({
    ...visit,
    Action: actionNames[rule.action] ?? rule.action,
    Description: bytes(rule.description),
    EdgeResponseStatus: decision.answer?.status ?? 0,
    // Counts backwards: the last rule that matched has 0.
    MatchIndex: logged.length - 1 - index,
    Metadata: { ruleset_id: ruleset.id, ruleset_version: ruleset.version, phase: phase.name, level },
    Ref: bytes(rule.ref),
    RuleID: rule.id,
    Source: sources[phase.name] ?? 'unknown',
  }))
}

function visitOf(request: EdgeRequest, zoneName: string): EventRecord {
  const header = (name: string) => request.headers.find(([other]) => other.toLowerCase() === name)?.[1] ?? ''
  const referer = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(header('referer'))
  const country = request.facts['ip.src.country']
  const asn = request.facts['ip.src.asnum']
  return {
    ClientASN: typeof asn === 'number' ? asn : 0,
    ClientCountry: typeof country === 'string' ? bytes(country) : '',
    ClientIP: request.ip,
    ClientRefererHost: referer?.[2] ?? '',
    ClientRefererPath: referer?.[3] ?? '',
    ClientRefererQuery: referer?.[4] ?? '',
    ClientRefererScheme: referer?.[1] ?? '',
    ClientRequestHost: request.host,
    ClientRequestMethod: request.method,
    ClientRequestPath: request.path,
    ClientRequestProtocol: request.protocol,
    ClientRequestQuery: request.query === '' ? '' : `?${request.query}`,
    ClientRequestScheme: request.scheme,
    ClientRequestUserAgent: header('user-agent'),
    Datetime: request.at satisfies Nanos,
    Kind: 'firewall',
    RayID: request.id,
    ZoneName: zoneName,
  }
}

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** What is no UTF-8 becomes the replacement character; the record store keeps text. */
const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')

// JSON.rawJSON is in Node 24 and not yet in TypeScript's library.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** One line of NDJSON. A 64-bit time does not fit a number of JavaScript, so it is written as its digits. */
export const lineOf = (event: EventRecord): string =>
  `${JSON.stringify(event, (_, value: unknown) => {
    if (typeof value === 'string') return utf8(value)
    return typeof value === 'bigint' ? rawJSON(value.toString()) : value
  })}\n`
