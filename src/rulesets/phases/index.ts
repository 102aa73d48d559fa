/** Every phase, in the order in which a request passes them. Adding one is a file and a line. */
import { ddosL4 } from './ddos_l4.ts'
import { ddosL7 } from './ddos_l7.ts'
import { httpConfigSettings } from './http_config_settings.ts'
import { httpCustomErrors } from './http_custom_errors.ts'
import { httpLogCustomFields } from './http_log_custom_fields.ts'
import { httpRatelimit } from './http_ratelimit.ts'
import { httpRequestCacheSettings } from './http_request_cache_settings.ts'
import { httpRequestDynamicRedirect } from './http_request_dynamic_redirect.ts'
import { httpRequestFirewallCustom } from './http_request_firewall_custom.ts'
import { httpRequestFirewallManaged } from './http_request_firewall_managed.ts'
import { httpRequestLateTransform } from './http_request_late_transform.ts'
import { httpRequestOrigin } from './http_request_origin.ts'
import { httpRequestRedirect } from './http_request_redirect.ts'
import { httpRequestSanitize } from './http_request_sanitize.ts'
import { httpRequestSbfm } from './http_request_sbfm.ts'
import { httpRequestTransform } from './http_request_transform.ts'
import { httpResponseCacheSettings } from './http_response_cache_settings.ts'
import { httpResponseCompression } from './http_response_compression.ts'
import { httpResponseFirewallManaged } from './http_response_firewall_managed.ts'
import { httpResponseHeadersTransform } from './http_response_headers_transform.ts'
import { magicTransit } from './magic_transit.ts'
import { magicTransitIdsManaged } from './magic_transit_ids_managed.ts'
import { magicTransitManaged } from './magic_transit_managed.ts'
import { magicTransitRatelimit } from './magic_transit_ratelimit.ts'
import type { Phase } from './phase.ts'

export type { Phase } from './phase.ts'

export const phases = [
  ddosL4,
  magicTransit,
  magicTransitManaged,
  magicTransitRatelimit,
  magicTransitIdsManaged,
  httpRequestSanitize,
  httpRequestDynamicRedirect,
  httpRequestTransform,
  httpConfigSettings,
  httpRequestOrigin,
  ddosL7,
  httpRequestFirewallCustom,
  httpRatelimit,
  httpRequestFirewallManaged,
  httpRequestSbfm,
  httpRequestRedirect,
  httpRequestLateTransform,
  httpRequestCacheSettings,
  httpCustomErrors,
  httpResponseCacheSettings,
  httpResponseHeadersTransform,
  httpResponseCompression,
  httpResponseFirewallManaged,
  httpLogCustomFields,
] as const satisfies readonly Phase[]

const byName = new Map<string, Phase>(phases.map((phase) => [phase.name, phase]))

export const findPhase = (name: string): Phase | undefined => byName.get(name)
