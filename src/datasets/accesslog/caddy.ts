/** Caddy 2, with its own JSON access log as it comes (https://caddyserver.com/docs/logging). */
import { fromRfc3339 } from '../../base/index.ts'
import { isObject } from '../json.ts'
import { asked, type Draft, readInt, readSeconds, readText } from './record.ts'

export function readCaddy(line: Readonly<Record<string, unknown>>): Draft {
  const request = toObject(line.request)
  const headers = toObject(request.headers)
  const tls = request.tls === undefined ? undefined : toObject(request.tls)
  // Caddy logs when the request is over; the time is unix seconds unless the encoder is told otherwise.
  const end = readSeconds(line.ts) ?? fromRfc3339(readText(line.ts) ?? '')
  const took = readDuration(line.duration) ?? 0n
  return {
    ...asked({
      ip: readText(request.client_ip) ?? readText(request.remote_ip),
      port: readInt(request.remote_port),
      method: readText(request.method),
      scheme: tls ? 'https' : 'http',
      host: readText(request.host),
      target: readText(request.uri),
      protocol: readText(request.proto),
      referer: readHeader(headers, 'Referer'),
      agent: readHeader(headers, 'User-Agent'),
    }),
    ClientRequestBytes: readInt(line.bytes_read),
    ClientSSLCipher: tls && cipherNames[readInt(tls.cipher_suite) ?? 0],
    ClientSSLProtocol: tls && tlsVersions[readInt(tls.version) ?? 0],
    ClientXRequestedWith: readHeader(headers, 'X-Requested-With'),
    EdgeEndTimestamp: end,
    EdgeResponseBodyBytes: readInt(line.size),
    EdgeResponseBytes: readInt(line.size),
    EdgeResponseContentType: readHeader(toObject(line.resp_headers), 'Content-Type'),
    EdgeResponseStatus: readInt(line.status),
    EdgeStartTimestamp: end === undefined ? undefined : end - took,
  }
}

// The numbers of RFC 8446 and of the ciphers that Go's TLS still offers.
const tlsVersions: Readonly<Record<number, string>> = { 769: 'TLSv1', 770: 'TLSv1.1', 771: 'TLSv1.2', 772: 'TLSv1.3' }
const cipherNames: Readonly<Record<number, string>> = {
  4865: 'TLS_AES_128_GCM_SHA256',
  4866: 'TLS_AES_256_GCM_SHA384',
  4867: 'TLS_CHACHA20_POLY1305_SHA256',
  49195: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  49196: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  49199: 'ECDHE-RSA-AES128-GCM-SHA256',
  49200: 'ECDHE-RSA-AES256-GCM-SHA384',
  52392: 'ECDHE-RSA-CHACHA20-POLY1305',
  52393: 'ECDHE-ECDSA-CHACHA20-POLY1305',
}

/** Seconds as a float; very short ones come with an exponent. */
const readDuration = (value: unknown): bigint | undefined =>
  typeof value === 'number' && value >= 0 && value < 1e9 ? BigInt(Math.round(value * 1e9)) : undefined

function readHeader(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const values = headers[name]
  return readText(Array.isArray(values) ? values[0] : values)
}

const toObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
