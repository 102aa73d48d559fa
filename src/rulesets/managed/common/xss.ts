/** Attempts to run a script in another visitor's browser. */
import { form, inAddressOrBody, inQueryOrBody, json, type ManagedRule } from './managed-rule.ts'

export const xss: readonly ManagedRule[] = [
  {
    ref: 'xss-script-element',
    says: 'A script element',
    tags: ['xss'],
    does: 'block',
    expression: inAddressOrBody(String.raw`<\s*/?\s*script[\s/>]`),
    matches: ['/search?q=<script>alert(1)</script>', form('comment=%3CScRiPt%20src=//x%3E')],
    passes: ['/search?q=script+writing', form('text=a<b+script>c')],
  },
  {
    ref: 'xss-event-attribute',
    says: 'An element with an attribute that runs on an event',
    tags: ['xss'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`<[a-z!/][^>]{0,200}[\s"'/]on(error|load|click|mouse\w+|focus\w*|blur|key\w+|toggle|begin|animation\w+|pointer\w+|submit|change|input)\s*=`,
    ),
    matches: ['/p?x=<img+src=x+onerror=alert(1)>', form('bio=<svg/onload=fetch(1)>')],
    passes: ['/p?onload=yes', form('text=if+a<b+then+one=1')],
  },
  {
    ref: 'xss-script-address',
    says: 'An address that is a program',
    tags: ['xss'],
    does: 'block',
    expression: inQueryOrBody(
      String.raw`(^|[\s=:"'>(;&])(javascript|vbscript)\s*:\s*[^\s&]*[(\x60]|data:text/html[;,]`,
    ),
    matches: ['/go?to=javascript:alert(document.domain)', form('link=data:text/html;base64,PHN2Zz4=')],
    passes: ['/books?q=javascript:+the+good+parts', form('link=data:image/png;base64,iVBOR')],
  },
  {
    ref: 'xss-foreign-frame',
    says: 'An element that brings in a foreign document',
    tags: ['xss'],
    does: { score: 5 },
    expression: inQueryOrBody(
      String.raw`<\s*(iframe|frame|object|embed|applet|base|meta)[\s/][^>]*(src|data|code|href|content)\s*=`,
    ),
    matches: ['/p?x=<iframe+src=//evil.example>', form('x=<meta http-equiv=refresh content=0>')],
    passes: ['/p?x=iframe+src', form('x=<b>object</b>')],
  },
  {
    ref: 'xss-page-object',
    says: 'Program text that reads or changes the page it would run in',
    tags: ['xss'],
    does: { score: 5 },
    expression: inQueryOrBody(
      String.raw`\bdocument\s*\.\s*(cookie|write(ln)?|location|domain|body)\b|\bwindow\s*\.\s*(location|name|open)\b|\b(eval|settimeout|function)\s*\(\s*(atob|string\.fromcharcode|unescape)\s*\(`,
    ),
    matches: ['/p?x=document.cookie', json('{"x":"eval(atob(1))"}')],
    passes: ['/docs?section=document', json('{"x":"open window location list"}')],
  },
  {
    ref: 'xss-template-expression',
    says: 'An expression of a page template that reaches the constructor',
    tags: ['xss', 'ssti'],
    does: 'block',
    expression: inQueryOrBody(String.raw`\{\{[^}]*constructor[^}]*\}\}`),
    matches: ["/p?x={{constructor.constructor('alert(1)')()}}", form('x=%7B%7Bthis.constructor%7D%7D')],
    passes: ['/p?x={{name}}', form('x=constructor+{}')],
  },
]
