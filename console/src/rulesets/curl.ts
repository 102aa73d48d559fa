/** A request out of what people have at hand: a curl line, a raw HTTP request, or a bare address. */
export type Request = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Read = { readonly ok: true; readonly request: Request } | { readonly ok: false; readonly why: string }

export function readRequestText(text: string): Read {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, why: 'Paste a curl line, a request, or an address.' }
  if (/^curl(\.exe)?\s/.test(trimmed)) return readCurl(trimmed)
  if (/^https?:\/\/\S+$/i.test(trimmed)) return accepted({ method: 'GET', url: trimmed, headers: {}, body: '' })
  if (/^[A-Z]+\s+\S+/.test(trimmed)) return readRaw(trimmed)
  return { ok: false, why: 'This is neither a curl line, nor a request that begins with its method, nor an address.' }
}

const accepted = (request: Request): Read => ({ ok: true, request })

/** Words as a shell would cut them: quotes, backslashes, line continuations. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  const word = /(?:\$?'(?:[^'])*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+/g
  for (const [raw] of line.replaceAll(/\\\r?\n/g, ' ').matchAll(word)) {
    words.push(
      raw.replaceAll(
        /\$?'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
        (_, single?: string, double?: string, one?: string) =>
          single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? one ?? '',
      ),
    )
  }
  return words
}

const flags: Readonly<Record<string, string>> = {
  '-X': 'method',
  '--request': 'method',
  '-H': 'header',
  '--header': 'header',
  '-d': 'data',
  '--data': 'data',
  '--data-raw': 'data',
  '--data-binary': 'data',
  '--json': 'json',
  '-A': 'agent',
  '--user-agent': 'agent',
  '-b': 'cookie',
  '--cookie': 'cookie',
  '-e': 'referer',
  '--referer': 'referer',
  '--url': 'url',
}
/** Flags that take a value which says nothing about the request itself. */
const ignored = new Set([
  '-o',
  '--output',
  '-m',
  '--max-time',
  '--connect-timeout',
  '-x',
  '--proxy',
  '-u',
  '--user',
  '-w',
  '--resolve',
])

function readCurl(line: string): Read {
  const [, ...words] = wordsOf(line)
  const found: Record<string, string[]> = {}
  const add = (name: string, value: string) => {
    found[name] = [...(found[name] ?? []), value]
  }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const known = flags[word]
    if (known) add(known, words[++at] ?? '')
    else if (ignored.has(word)) at++
    else if (word === '-I' || word === '--head') add('method', 'HEAD')
    else if (!word.startsWith('-')) add('url', word)
  }
  const [url] = found.url ?? []
  if (url === undefined) return { ok: false, why: 'The curl line has no address.' }
  const headers: Record<string, string> = Object.fromEntries((found.header ?? []).map(headerOf))
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) headers[name] = value
  }
  set('User-Agent', found.agent?.[0])
  set('Cookie', found.cookie?.[0])
  set('Referer', found.referer?.[0])
  if (found.json) set('Content-Type', 'application/json')
  const body = [...(found.data ?? []), ...(found.json ?? [])].join('&')
  const method = found.method?.[0] ?? (body === '' ? 'GET' : 'POST')
  return accepted({ method, url: /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`, headers, body })
}

const headerOf = (line: string): readonly [string, string] => {
  const at = line.indexOf(':')
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

/** `GET /path HTTP/1.1`, headers, an empty line, a body; an address may stand in the place of the path. */
function readRaw(text: string): Read {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const [method = '', target = ''] = first.split(/\s+/)
  const headers = Object.fromEntries(lines.filter((line) => line.includes(':')).map(headerOf))
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1]
  if (target.startsWith('/') && !host) return { ok: false, why: 'Add a Host header, or write the whole address.' }
  return accepted({
    method,
    url: target.startsWith('/') ? `https://${host}${target}` : target,
    headers,
    body: rest.join('\n\n'),
  })
}
