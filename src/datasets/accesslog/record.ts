/** What the access-log formats share: reading the odd spellings of values, and the fields they all fill. */
import { type Nanos, second } from '../../base/index.ts'

/** Part of an `http_requests` record; what the log did not say is undefined and left out in the end. */
export type Draft = Readonly<Record<string, string | number | bigint | boolean | undefined>>

/** A text that says something: servers write nothing, or a dash, for what they do not know. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && value !== '-' ? value : undefined
}

/** A whole number that is not negative, written as a number or as digits. */
export function readInt(value: unknown): number | undefined {
  const text = readText(value)
  const number = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined
}

/** Decimal seconds to nanoseconds, digit by digit: a double would round a time of today to a quarter microsecond. */
export function readSeconds(value: unknown): Nanos | undefined {
  const [, whole, fraction = ''] = /^(\d{1,10})(?:\.(\d*))?$/.exec(readText(value) ?? '') ?? []
  return whole === undefined ? undefined : BigInt(whole) * second + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
}

export const toMs = (nanos: Nanos | undefined): number | undefined =>
  nanos === undefined ? undefined : Number(nanos / 1_000_000n)

/** A request id of any spelling as the sixteen hex digits of a ray id. */
export function toRayId(id: string | undefined): string | undefined {
  const digits = id?.toLowerCase().replaceAll('-', '') ?? ''
  return /^[0-9a-f]{16,64}$/.test(digits) ? digits.slice(0, 16) : undefined
}

/** Splits `192.0.2.1:443` and `[2001:db8::1]:443`; an address without a port is an address. */
export function readEndpoint(text: string | undefined): {
  readonly ip?: string | undefined
  readonly port?: number | undefined
} {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text ?? '')
  const ip = found?.[1] ?? found?.[2] ?? (/^[0-9a-fA-F:.]+$/.test(text ?? '') ? text : undefined)
  return { ip, port: readInt(found?.[3]) }
}

export type Asked = {
  readonly ip?: string | undefined
  readonly port?: number | undefined
  readonly method?: string | undefined
  readonly scheme?: string | undefined
  readonly host?: string | undefined
  /** Path and query, as sent. */
  readonly target?: string | undefined
  readonly protocol?: string | undefined
  readonly referer?: string | undefined
  readonly agent?: string | undefined
}

/** The fields about the client and what it asked for. */
export const asked = ({ ip, port, method, scheme, host, target, protocol, referer, agent }: Asked): Draft => ({
  ClientIP: ip,
  ClientSrcPort: port,
  ClientRequestMethod: method,
  ClientRequestScheme: scheme,
  ClientRequestHost: host,
  ClientRequestURI: target,
  ClientRequestPath: target?.replace(/\?.*$/s, ''),
  ClientRequestProtocol: protocol?.replace(/^HTTP\/([23])\.0$/, 'HTTP/$1'),
  ClientRequestReferer: referer,
  ClientRequestUserAgent: agent,
})
