/** The API's reference at /docs: every operation on one page that needs no script and no other server. */
import type { FastifyInstance } from 'fastify'
import { type Operation, pathsOf } from '../contract/index.ts'
import { type Row, rowsOf, type Schema } from './docs-schema.ts'
import { style } from './docs-style.ts'
import { makePage, type Page, sendPage } from './page.ts'

/** Made when first asked for: it takes some 20 ms, and most services are never asked. */
export function bindDocs(app: FastifyInstance, operations: () => readonly Operation[], version: string): void {
  const pages: Record<string, () => Page> = {
    '/docs': once(() => makePage('text/html; charset=utf-8', Buffer.from(documentOf(operations(), version)))),
    '/docs/style.css': once(() => makePage('text/css; charset=utf-8', Buffer.from(style))),
  }
  for (const [path, page] of Object.entries(pages)) {
    app.get(path, async (request, reply) => sendPage(request, reply, page(), 'no-cache'))
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The whole page. Every text in it goes through `html`, which escapes what is put into it. */
function documentOf(operations: readonly Operation[], version: string): string {
  const tags = [...Map.groupBy(operations, (operation) => operation.tag)]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Spillway ${version}: the API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav aria-label="Operations">
<a href="/">Console</a> · <a href="/v4/openapi.json">OpenAPI</a>
${tags.map(
  ([tag, members]) => html`<h2>${tag}</h2>
<ul>${members.map(({ id, summary }) => html`<li><a href="#${id}">${inline(summary)}</a></li>`)}</ul>`,
)}
</nav>
<main>
<h1>Spillway ${version}</h1>
${introduction}
${tags.map(([tag, members]) => html`<section><h2>${tag}</h2>${members.map(describe)}</section>`)}
</main>
</body>
</html>
`.text
}

const introduction = html`<p>${'Every path stands below /v4, and below /client/v4 for clients of the hosted API. '}
An operation of a zone and of an account is the same operation in two places.</p>
<pre>curl -H "Authorization: Bearer $TOKEN" ${'"$SPILLWAY/v4/zones/$ZONE/logexport/jobs"'}</pre>
<p>Credentials are a token as above, or the headers <code>X-Auth-Email</code> and <code>X-Auth-Key</code>. Answers
are JSON: <code>{"success", "errors", "messages", "result"}</code>, with <code>result_info</code> for lists that come in pages. A refusal has
<code>success</code> false and says in <code>errors</code> what is wrong, with a <code>code</code>, a <code>message</code>, and where the mistake
lies as a JSON pointer in <code>source.pointer</code>. Below, “Answer” is what stands in <code>result</code>.</p>`

function describe(operation: Operation): Markup {
  const { id, summary, method, query, body, result, stream, status = 200 } = operation
  const paths = pathsOf(operation)
  return html`<article id="${id}">
<h3>${inline(summary)}</h3>
${paths.map(
  (path) =>
    html`<p class="paths"><code><span class="method ${method.toLowerCase()}">${operation.mirrors ? 'any' : method}</span> ${path}</code></p>`,
)}
<p class="quiet">${permissionOf(operation)}</p>
${fields('Query', query as Schema | undefined)}
${fields(stream === 'in' ? 'Body, as bytes' : 'Body', body as Schema | undefined)}
${stream === 'out' || status === 204 ? html`<h4>Answer ${status}</h4><p>${status === 204 ? 'Nothing.' : 'Text or bytes, not the envelope.'}</p>` : fields(`Answer ${status}`, result as Schema | undefined)}
</article>
`
}

function permissionOf({ allowed, only, inAccount }: Operation): string {
  if (only === 'super') return 'Super administrators only.'
  if (only === 'key') return 'Users by their own API key only, not by a token.'
  if (allowed === 'open') return 'Needs no credentials.'
  if (allowed === 'anyone') return 'Any valid credentials.'
  return `Needs the permission ${allowed}${inAccount ? ' in the whole account' : ''}.`
}

function fields(title: string, schema: Schema | undefined): Markup | undefined {
  if (!schema) return undefined
  const rows = rowsOf(schema)
  if (rows.length === 0) return undefined
  return html`<h4>${title}</h4>
<table><thead><tr><th>Field</th><th>Holds</th><th>Meaning</th></tr></thead><tbody>${rows.map(row)}</tbody></table>`
}

const row = ({ path, type, isRequired, says }: Row): Markup =>
  html`<tr><td><code>${path || '(the value)'}</code></td><td>${type}${isRequired ? '' : html` <span class="quiet">optional</span>`}</td><td>${inline(says)}</td></tr>
`

/** Words between backticks are code. */
const inline = (text: string): Markup[] =>
  text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

/** Text that is markup already; made by `html` alone. */
type Markup = { readonly text: string }
type Part = string | number | Markup | readonly Markup[] | undefined

function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { text: texts.map((text, at) => text + rendered(parts[at])).join('') }
}

function rendered(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'object')
    return [part]
      .flat()
      .map(({ text }) => text)
      .join('')
  return String(part).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
