/**
 * Envoy, with the JSON format of docs/ingest/envoy.yaml. Its members are named as Istio names them, so that a mesh's
 * JSON access log is understood as it comes; the members Istio does not write are simply missing then.
 */
import { fromRfc3339 } from '../../base/index.ts'
import { asked, type Draft, readEndpoint, readInt, readText, toRayId } from './record.ts'

export function readEnvoy(line: Readonly<Record<string, unknown>>): Draft {
  const start = fromRfc3339(readText(line.start_time) ?? '')
  const tookMs = readInt(line.duration) ?? 0
  // Envoy has weighed X-Forwarded-For by its own trusted hops already; the header itself is anyone's word.
  const client = readEndpoint(readText(line.downstream_remote_address))
  const tls = readText(line.downstream_tls_version)
  return {
    ...asked({
      ip: client.ip,
      port: client.port,
      method: readText(line.method),
      scheme: readText(line.scheme) ?? (tls ? 'https' : undefined),
      host: readText(line.authority),
      target: readText(line.path),
      protocol: readText(line.protocol),
      referer: readText(line.referer),
      agent: readText(line.user_agent),
    }),
    ClientRequestBytes: readInt(line.bytes_received),
    ClientSSLCipher: readText(line.downstream_tls_cipher),
    ClientSSLProtocol: tls,
    EdgeEndTimestamp: start === undefined ? undefined : start + BigInt(tookMs) * 1_000_000n,
    EdgeResponseBodyBytes: readInt(line.bytes_sent),
    EdgeResponseBytes: readInt(line.bytes_sent),
    EdgeResponseContentType: readText(line.content_type),
    EdgeResponseStatus: readInt(line.response_code),
    EdgeServerIP: readEndpoint(readText(line.downstream_local_address)).ip,
    EdgeStartTimestamp: start,
    OriginIP: readEndpoint(readText(line.upstream_host)).ip,
    OriginResponseDurationMs: readInt(line.upstream_service_time),
    RayID: toRayId(readText(line.request_id)),
  }
}
