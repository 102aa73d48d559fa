/** The shipped catalogues, one file each. A new dataset is a new file here and its two lines below. */
import accessRequests from './access_requests.json' with { type: 'json' }
import accountAbuseProtectionEvents from './account_abuse_protection_events.json' with { type: 'json' }
import auditLogs from './audit_logs.json' with { type: 'json' }
import auditLogsV2 from './audit_logs_v2.json' with { type: 'json' }
import bisoUserActions from './biso_user_actions.json' with { type: 'json' }
import casbFindings from './casb_findings.json' with { type: 'json' }
import devicePostureResults from './device_posture_results.json' with { type: 'json' }
import dexApplicationTests from './dex_application_tests.json' with { type: 'json' }
import dexDeviceStateEvents from './dex_device_state_events.json' with { type: 'json' }
import dlpForensicCopies from './dlp_forensic_copies.json' with { type: 'json' }
import dnsFirewallLogs from './dns_firewall_logs.json' with { type: 'json' }
import dnsLogs from './dns_logs.json' with { type: 'json' }
import emailSecurityAlerts from './email_security_alerts.json' with { type: 'json' }
import emailSecurityPostDeliveryEvents from './email_security_post_delivery_events.json' with { type: 'json' }
import firewallEvents from './firewall_events.json' with { type: 'json' }
import gatewayDns from './gateway_dns.json' with { type: 'json' }
import gatewayHttp from './gateway_http.json' with { type: 'json' }
import gatewayNetwork from './gateway_network.json' with { type: 'json' }
import httpRequests from './http_requests.json' with { type: 'json' }
import ipsecLogs from './ipsec_logs.json' with { type: 'json' }
import magicBgpLogs from './magic_bgp_logs.json' with { type: 'json' }
import magicIdsDetections from './magic_ids_detections.json' with { type: 'json' }
import mcpPortalLogs from './mcp_portal_logs.json' with { type: 'json' }
import mnmFlowLogs from './mnm_flow_logs.json' with { type: 'json' }
import nelReports from './nel_reports.json' with { type: 'json' }
import networkAnalyticsLogs from './network_analytics_logs.json' with { type: 'json' }
import pageShieldEvents from './page_shield_events.json' with { type: 'json' }
import sinkholeHttpLogs from './sinkhole_http_logs.json' with { type: 'json' }
import spectrumEvents from './spectrum_events.json' with { type: 'json' }
import sshLogs from './ssh_logs.json' with { type: 'json' }
import turnstileEvents from './turnstile_events.json' with { type: 'json' }
import warpConfigChanges from './warp_config_changes.json' with { type: 'json' }
import warpToggleChanges from './warp_toggle_changes.json' with { type: 'json' }
import websocketAnalytics from './websocket_analytics.json' with { type: 'json' }
import workersTraceEvents from './workers_trace_events.json' with { type: 'json' }
import zarazEvents from './zaraz_events.json' with { type: 'json' }
import zeroTrustNetworkSessions from './zero_trust_network_sessions.json' with { type: 'json' }

export const catalogue: readonly unknown[] = [
  accessRequests,
  accountAbuseProtectionEvents,
  auditLogs,
  auditLogsV2,
  bisoUserActions,
  casbFindings,
  devicePostureResults,
  dexApplicationTests,
  dexDeviceStateEvents,
  dlpForensicCopies,
  dnsFirewallLogs,
  dnsLogs,
  emailSecurityAlerts,
  emailSecurityPostDeliveryEvents,
  firewallEvents,
  gatewayDns,
  gatewayHttp,
  gatewayNetwork,
  httpRequests,
  ipsecLogs,
  magicBgpLogs,
  magicIdsDetections,
  mcpPortalLogs,
  mnmFlowLogs,
  nelReports,
  networkAnalyticsLogs,
  pageShieldEvents,
  sinkholeHttpLogs,
  spectrumEvents,
  sshLogs,
  turnstileEvents,
  warpConfigChanges,
  warpToggleChanges,
  websocketAnalytics,
  workersTraceEvents,
  zarazEvents,
  zeroTrustNetworkSessions,
]
