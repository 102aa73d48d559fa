/** nginx, with the log format of docs/ingest/nginx.conf: a JSON object whose members are nginx's own variables. */
import { asked, type Draft, readEndpoint, readInt, readSeconds, readText, toMs, toRayId } from './record.ts'

export function readNginx(line: Readonly<Record<string, unknown>>): Draft {
  // nginx logs when the request is over.
  const end = readSeconds(line.msec)
  const took = readSeconds(line.request_time) ?? 0n
  const rtt = readInt(line.tcpinfo_rtt)
  return {
    ...asked({
      ip: readText(line.remote_addr),
      port: readInt(line.remote_port),
      method: readText(line.request_method),
      scheme: readText(line.scheme),
      host: readText(line.host),
      target: readText(line.request_uri),
      protocol: readText(line.server_protocol),
      referer: readText(line.http_referer),
      agent: readText(line.http_user_agent),
    }),
    CacheCacheStatus: readText(line.upstream_cache_status)?.toLowerCase(),
    ClientRequestBytes: readInt(line.request_length),
    ClientSSLCipher: readText(line.ssl_cipher),
    ClientSSLProtocol: readText(line.ssl_protocol),
    ClientTCPRTTMs: rtt === undefined ? undefined : Math.round(rtt / 1000),
    ClientXRequestedWith: readText(line.http_x_requested_with),
    EdgeEndTimestamp: end,
    EdgeResponseBodyBytes: readInt(line.body_bytes_sent),
    EdgeResponseBytes: readInt(line.bytes_sent),
    EdgeResponseContentType: readText(line.sent_http_content_type),
    EdgeResponseStatus: readInt(line.status),
    EdgeServerIP: readText(line.server_addr),
    EdgeStartTimestamp: end === undefined ? undefined : end - took,
    OriginIP: readEndpoint(lastTry(line.upstream_addr)).ip,
    OriginResponseBytes: readInt(lastTry(line.upstream_response_length)),
    OriginResponseDurationMs: toMs(readSeconds(lastTry(line.upstream_response_time))),
    OriginResponseStatus: readInt(lastTry(line.upstream_status)),
    RayID: toRayId(readText(line.request_id)),
  }
}

/** nginx lists every server it tried, `502, 200`, and every internal redirect, `502 : 200`; the last one answered. */
const lastTry = (value: unknown): string | undefined =>
  readText(
    readText(value)
      ?.split(/, | : /)
      .at(-1),
  )
