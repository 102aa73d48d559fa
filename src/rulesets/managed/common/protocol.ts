/** Requests that honest programs do not send. */
import type { ManagedRule } from './managed-rule.ts'

export const protocol: readonly ManagedRule[] = [
  {
    ref: 'protocol-unknown-method',
    says: 'A method that no site here answers',
    tags: ['protocol'],
    does: 'block',
    expression:
      'not http.request.method in {"GET" "HEAD" "POST" "PUT" "PATCH" "DELETE" "OPTIONS" "PROPFIND" "PROPPATCH" "MKCOL" "COPY" "MOVE" "LOCK" "UNLOCK" "REPORT" "SEARCH"}',
    matches: [{ method: 'TRACE' }, { method: 'DEBUG' }],
    passes: [{ method: 'GET' }, { method: 'PROPFIND' }],
  },
  {
    ref: 'protocol-two-lengths',
    says: 'A request that states its length in two ways, as smuggling does',
    tags: ['protocol', 'request-smuggling'],
    does: 'block',
    expression:
      'has_key(http.request.headers, "transfer-encoding") and has_key(http.request.headers, "content-length")',
    matches: [
      { method: 'POST', headers: { 'content-length': '4', 'transfer-encoding': 'chunked' } },
      { method: 'POST', headers: { 'Transfer-Encoding': 'identity', 'Content-Length': '0' } },
    ],
    passes: [
      { method: 'POST', headers: { 'content-length': '4' } },
      { method: 'POST', headers: { 'transfer-encoding': 'chunked' } },
    ],
  },
  {
    ref: 'protocol-address-as-host',
    says: 'A host header that is a bare address, as sent by programs that walk through networks',
    tags: ['protocol', 'scanner'],
    does: { score: 2 },
    expression: String.raw`http.host matches r#"^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\])(:\d+)?$"#`,
    matches: [{ headers: { host: '203.0.113.7' } }, { headers: { host: '[2001:db8::1]:8443' } }],
    passes: [{ headers: { host: 'www.example.com' } }, { headers: { host: '4.3.2.1.example.com' } }],
  },
  {
    ref: 'protocol-odd-encoding',
    says: 'Overlong or twice-encoded slashes and dots in a path',
    tags: ['protocol', 'path-traversal'],
    does: 'block',
    expression: 'lower(raw.http.request.uri) matches r#"%c0%(ae|af|2f)|%e0%80%ae|%25(2e|2f|5c)|%u(2215|2216|ff0f)"#',
    matches: ['/%c0%ae%c0%ae/secret', '/%252e%252e/secret'],
    passes: ['/caf%c3%a9', '/100%25/done'],
  },
  {
    ref: 'protocol-long-query',
    says: 'A query string of more than eight thousand bytes',
    tags: ['protocol', 'dos'],
    does: { score: 5 },
    expression: 'len(http.request.uri.query) > 8192',
    matches: [`/?q=${'a'.repeat(8200)}`, `/?${'b=1&'.repeat(2100)}`],
    passes: ['/?q=short', `/?q=${'a'.repeat(4000)}`],
  },
  {
    ref: 'protocol-many-arguments',
    says: 'More arguments than a form has fields',
    tags: ['protocol', 'dos'],
    does: { score: 5 },
    off: true,
    expression: 'len(http.request.uri.args.names) > 200',
    matches: [`/?${'a=1&'.repeat(201)}`, `/?${'x&'.repeat(250)}`],
    passes: ['/?a=1&b=2', `/?${'a=1&'.repeat(100)}`],
  },
]
